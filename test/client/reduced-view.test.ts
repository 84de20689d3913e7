import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isReduced,
  type Member,
  type MemberView,
  type ReducedMember,
  rollcall,
  type SeenMember,
  unwrap,
} from '#src/client/index.ts'
import { basic } from '#test/browser/signing-in.ts'
import { john } from '#test/people.ts'
import { startApp } from '../harness.ts'

/** The fields of a member that a program may show, by type: the compiler checks both branches. */
const shownOf = {
  seen: (member: SeenMember) => (isReduced(member) ? member.lastName : member.credential.signId),
  union: (member: Member | ReducedMember) => (isReduced(member) ? member.lastName : member.emailAddress),
  view: (member: MemberView) => (isReduced(member) ? member.lastName : member.emailAddress),
  unchecked: (member: SeenMember) => member.emailAddress ?? member.lastName,
}

test('a member reads itself in full and others reduced, and the types of the client reflect this', async (t) => {
  const api = await startApp(t, basic)
  const admin = rollcall(api.url, { auth: { signId: 'admin', password: 'admin-password' } })
  const own = unwrap(await admin.members.create(john)).value
  const other = unwrap(
    await admin.members.create({
      ...john,
      lastName: 'Doe',
      credential: { ...john.credential, signId: 'doe' },
    }),
  ).value
  const { members } = rollcall(api.url, { auth: { signId: 'doe', password: john.credential.password } })
  const seen = {
    got: [unwrap(await members.get(own.memberId)).value, unwrap(await members.get(other.memberId)).value],
    walked: await Array.fromAsync(members.each()),
    paged: unwrap(await members.page()).value.content,
    listed: unwrap(await members.list()).value,
  }
  const detailed = unwrap(await members.getDetailed(own.memberId)).value
  assert.equal(isReduced(detailed) ? detailed.lastName : detailed.emailAddress, 'Smith')
  assert.deepEqual(seen.got.map(isReduced), [true, false])
  for (const { length } of Object.values(seen)) assert.equal(length, 2)
  for (const all of [seen.walked, seen.paged, seen.listed]) assert.deepEqual(all.map(isReduced), [true, true])
  for (const show of Object.values(shownOf)) assert.deepEqual(seen.listed.map(show), ['Smith', 'Doe'])
})
