import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceActor } from '#ledger/change-log.ts'
import { raw, sql } from '#sql/query.ts'
import { engines } from '#test/engines.ts'
import { memberStoreOn, storedMember } from '#test/stored-members.ts'
import type { Member } from './schema.ts'

let memberCount = 0

const member = (change: Partial<Member> = {}) => storedMember(memberCount++, change)

for (const { name, open, skip } of engines) {
  test(`${name}: pages follow the requested order, and each page by cursor continues where the last one ended`, {
    skip,
  }, async (t) => {
    const store = memberStoreOn(await open(t))
    const lastNames = ['B', 'a', 'B', 'C', 'A']
    for (const [at, lastName] of lastNames.entries()) {
      await store.insert(
        member({ lastName, telephoneNumber: at % 2 ? null : String(at) }),
        { passwordHash: 'hash' },
        serviceActor(),
      )
    }
    const sort = [
      { property: 'lastName', direction: 'desc' },
      { property: 'telephoneNumber', direction: 'asc' },
    ] as const
    const page = await store.page({}, { number: 0, size: 9, sort })
    assert.equal(page.totalElements, 5)
    const names = page.content.map(({ lastName, telephoneNumber }) => `${lastName}${telephoneNumber ?? '-'}`)
    assert.deepEqual(names, ['a-', 'C-', 'B0', 'B2', 'A4'])
    const walked: Member[] = []
    for (let after: readonly (string | number | boolean | null)[] | undefined; ; ) {
      const slice = await store.slice({}, { after, size: 2, sort })
      walked.push(...slice.content)
      after = slice.next
      if (!after) break
    }
    assert.deepEqual(walked, page.content)
  })
}

test('SQLite: members inserted in one transaction are one segment of the full-text index, and segments are merged step by step', async (t) => {
  const [sqlite] = engines
  const db = await sqlite?.open(t)
  assert.ok(db)
  const store = memberStoreOn(db)
  const add = (number: number) => store.insert(storedMember(number), { passwordHash: 'hash' }, serviceActor())
  const segments = async () => {
    const count = sql`SELECT count(DISTINCT segid) AS segments FROM member_gram_idx`
    return (await db.read(count, (row) => Number(row.segments)))[0] ?? 0
  }
  await db.unit(async () => {
    for (const number of Array(9).keys()) await add(number + 1)
  })
  assert.equal(await segments(), 1)
  const most = { segments: 0 }
  for (const number of Array(120).keys()) {
    await add(number + 10)
    most.segments = Math.max(most.segments, await segments())
  }
  assert.ok(most.segments < 40, `there were ${most.segments} segments`)
})

test('SQLite: an import uses an index to find members by each identifying value', async (t) => {
  const db = await engines[0]?.open(t)
  assert.ok(db)
  const from = sql`FROM member JOIN credential ON credential.member_id = member.member_id`
  for (const column of ['member.member_id', 'credential.sign_id_folded', 'member.email_folded']) {
    const plan = sql`EXPLAIN QUERY PLAN SELECT 1 ${from} WHERE ${raw(column)} IN (${'a'}, ${'b'})`
    const steps: readonly string[] = await db.read(plan, (row) => String(row.detail))
    assert.ok(steps.length > 0 && steps.every((step) => !step.startsWith('SCAN')), `${column}: ${steps}`)
  }
})
