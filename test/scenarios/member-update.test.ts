import assert from 'node:assert/strict'
import { test } from 'node:test'
import { people, person, profile, without } from '../people.ts'
import { createMember, sharedMember } from './creating.ts'
import { format, invalid, required } from './member-fields.ts'
import { type Body, body, expectAnswer, field, mergePatch, rows, service, table, unknownId } from './table.ts'

const app = service()
const strict = service({ REQUIRE_IF_MATCH: 'on' })
const member = sharedMember(app)
const strictMember = sharedMember(strict)

test('PUT replaces every field of the request and keeps the others', async () => {
  const created = await createMember(app())
  const fields = without({ ...people[0] }, 'credential')
  const answer = await app()(`PUT /members/${created.memberId}`, fields)
  expectAnswer(answer, { status: 200 })
  const { lastModifiedAt } = body(answer)
  assert.ok(String(lastModifiedAt) > String(created.lastModifiedAt), 'lastModifiedAt increases')
  assert.deepEqual(answer.body, { ...created, ...fields, lastModifiedAt })
  assert.deepEqual((await app()(`GET /members/${created.memberId}`)).body, answer.body)
})

test('an optional field omitted from PUT becomes null, and an empty one stays empty', async () => {
  const created = await createMember(app())
  const sent = without(profile({ zipCode: '' }), 'telephoneNumber', 'address')
  const answer = await app()(`PUT /members/${created.memberId}`, sent)
  expectAnswer(answer, { status: 200, shows: { telephoneNumber: null, zipCode: '', address: null } })
})

test('lastModifiedAt strictly increases, however fast the updates follow one another', async () => {
  const { memberId, lastModifiedAt } = await createMember(app())
  const times = [String(lastModifiedAt)]
  for (let i = 0; i < 20; i += 1) {
    times.push(field(await app()(`PUT /members/${memberId}`, profile()), 'lastModifiedAt'))
  }
  assert.deepEqual(times, [...new Set(times)].sort())
})

test('ids, times and links in the body are ignored', async () => {
  const created = await createMember(app())
  const old = '2001-01-01T00:00:00.000Z'
  const sent = profile({ memberId: unknownId, createdAt: old, lastModifiedAt: old, links: [] })
  const answer = await app()(`PUT /members/${created.memberId}`, sent)
  expectAnswer(answer, { status: 200, shows: { memberId: created.memberId, createdAt: created.createdAt } })
  assert.notEqual(field(answer, 'lastModifiedAt'), old)
})

test('PUT accepts a null credential', async () => {
  const { member: id } = await member()
  expectAnswer(await app()(`PUT /members/${id}`, profile({ credential: null })), { status: 200 })
})

const mustBeNull = {
  status: 400,
  code: '7001',
  details: ['credential Null'],
  says: ['"credential" must be null or unchanged. Use PUT …/credential to change it.'],
}
test('PUT with a member that was read before its credential changed is a conflict', async () => {
  const read = await createMember(app())
  await app()(`PUT /members/${read.memberId}/credential`, { signId: null, password: 'open sesame' })
  const answer = await app()(`PUT /members/${read.memberId}`, read)
  expectAnswer(answer, { status: 409, code: '8002', details: ['memberId ChangedMeanwhile'] })
  const wrong = await app()(`PUT /members/${read.memberId}`, { ...read, firstName: '' })
  expectAnswer(wrong, { status: 400, code: '7001', details: ['firstName Size', 'credential Null'] })
})

test('a credential that differs in any way from the shown one is refused', async () => {
  const created = await createMember(app())
  const shown = created.credential as Body
  const others: Body[] = [
    { ...shown, signId: 'another' },
    { ...shown, passwordLastChangedAt: '2001-01-01T00:00:00.000Z' },
    { ...shown, password: 'open sesame' },
    { password: 'open sesame' },
    { signId: null, password: null },
    { ...shown, password: null },
    { ...shown, signId: null },
    { ...shown, passwordLastChangedAt: null },
    { links: [] },
    without(shown, 'passwordLastChangedAt'),
  ]
  for (const credential of others) {
    expectAnswer(await app()(`PUT /members/${created.memberId}`, profile({ credential })), mustBeNull)
  }
  assert.deepEqual((await app()(`GET /members/${created.memberId}`)).body, created, 'nothing changed')
})

table(
  app,
  [
    {
      name: 'PUT of an empty object gets one detail for each required field, none for the credential',
      request: 'PUT /members/{member}',
      body: {},
      ...invalid,
      details: required.map((name) => `${name} NotNull`),
    },
    { name: 'PUT of a member refuses an array', request: 'PUT /members/{member}', body: [], ...format },
  ],
  member,
)

test('a deleted member is gone, and its sign id is free again', async () => {
  const sent = person({ credential: { signId: 'leaver', password: 'open sesame' } })
  const memberId = field(await app()('POST /members', sent), 'memberId')
  const answer = await app()(`DELETE /members/${memberId}`)
  expectAnswer(answer, { status: 204, answers: { 'content-type': false } })
  assert.equal(answer.text, '')
  for (const method of ['GET', 'DELETE']) {
    expectAnswer(await app()(`${method} /members/${memberId}`), { status: 404, code: 'e.xx.yy.5001' })
  }
  assert.ok(!rows(await app()('GET /members')).some((row) => row.memberId === memberId))
  expectAnswer(await app()('POST /members', sent), { status: 201 })
})

table(
  strict,
  [
    { name: 'PUT', request: 'PUT /members/{member}', body: profile() },
    { name: 'PATCH', request: 'PATCH /members/{member}', body: { firstName: 'x' }, headers: mergePatch },
    { name: 'DELETE', request: 'DELETE /members/{member}' },
  ].map((row) => ({
    ...row,
    name: `with REQUIRE_IF_MATCH, ${row.name} of a member without If-Match is 428`,
    status: 428,
    code: '8004',
  })),
  strictMember,
)

test('with REQUIRE_IF_MATCH, an unknown member is 404 even without If-Match', async () => {
  for (const [method, sent, headers] of [
    ['PUT', profile(), {}],
    ['PATCH', {}, mergePatch],
    ['DELETE', undefined, {}],
  ] as const)
    expectAnswer(await strict()(`${method} /members/${unknownId}`, sent, headers), {
      status: 404,
      code: 'e.xx.yy.5001',
    })
})

test('with REQUIRE_IF_MATCH, PUT with the ETag of the member succeeds', async () => {
  const { member: id } = await strictMember()
  const etag = (await strict()(`GET /members/${id}`)).headers.etag ?? ''
  expectAnswer(await strict()(`PUT /members/${id}`, profile(), { 'if-match': etag }), { status: 200 })
})
