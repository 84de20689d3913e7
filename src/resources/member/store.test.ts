import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { announcing } from '#test/announcing.ts'
import { engines } from '#test/engines.ts'
import type { MemberFilter } from './filter.ts'
import type { Member } from './schema.ts'
import { memberStore } from './store.ts'

const storeOn = (db: Database) => memberStore(db, announcing())

const now = Date.UTC(2026, 0, 1)
let memberCount = 0

const member = (change: Partial<Member> = {}): Member => {
  memberCount++
  return {
    memberId: `01920000-0000-7000-8000-${String(memberCount).padStart(12, '0')}`,
    firstName: 'John',
    lastName: 'Smith',
    genderCode: '1',
    dateOfBirth: '1983-01-17',
    emailAddress: 'john@example.com',
    telephoneNumber: null,
    zipCode: '',
    address: null,
    credential: { signId: `john${memberCount}`, passwordLastChangedAt: now, lastModifiedAt: now },
    createdAt: now + memberCount,
    lastModifiedAt: now,
    version: 1,
    ...change,
  }
}

const whole = (text: string) => ({ text, isBeginning: false })

const credentialOf = (signId: string) => ({ signId, passwordLastChangedAt: now, lastModifiedAt: now })

const namesOf = async (found: AsyncIterable<readonly Member[]>) =>
  (await Array.fromAsync(found)).flat().map(({ firstName, lastName }) => `${firstName} ${lastName}`)

for (const { name, open, skip } of engines) {
  test(`${name}: of two concurrent updates of one version only one succeeds`, { skip }, async (t) => {
    const store = storeOn(await open(t))
    const john = member()
    await store.insert(john, 'hash')
    const outcomes = await Promise.all([
      store.replace({ ...john, firstName: 'A', version: 2 }, ['firstName']),
      store.replace({ ...john, firstName: 'B', version: 2 }, ['firstName']),
    ])
    assert.deepEqual(outcomes.sort(), [false, true])
    assert.equal((await store.find(john.memberId))?.version, 2)
    assert.equal(await store.replace({ ...john, version: 2 }, ['firstName']), false)
  })

  test(`${name}: a sign id belongs to one member, whatever its case and width`, { skip }, async (t) => {
    const store = storeOn(await open(t))
    const first = member({ credential: credentialOf('Straße') })
    assert.equal(await store.insert(first, 'hash'), true)
    for (const signId of ['Straße', 'STRASSE', 'ｓｔｒａßｅ']) {
      const other = member({ credential: credentialOf(signId) })
      assert.equal(await store.insert(other, 'hash'), false, signId)
      assert.equal(await store.find(other.memberId), undefined)
    }
  })

  test(`${name}: a credential is replaced only if its sign id is free and the version current`, {
    skip,
  }, async (t) => {
    const store = storeOn(await open(t))
    const [john, jane] = [member(), member({ credential: credentialOf('jane') })]
    await store.insert(john, 'old')
    await store.insert(jane, 'hash')
    const changed = { ...john, version: 2, credential: credentialOf('JANE') }
    assert.equal(await store.replaceCredential(changed, 'new', []), 'sign id in use')
    assert.equal(await store.replaceCredential({ ...john, version: 5 }, 'new', []), 'changed meanwhile')
    assert.equal(await store.passwordHash(john.memberId), 'old')
    assert.equal(await store.replaceCredential({ ...john, version: 2 }, 'new', []), 'done')
    assert.equal(await store.passwordHash(john.memberId), 'new')
  })

  test(`${name}: a member is removed with its credential, and only in the named version`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const store = storeOn(db)
    const john = member()
    await store.insert(john, 'hash')
    assert.equal(await store.remove(john.memberId, 2), false)
    assert.equal(await store.remove(john.memberId, 1), true)
    assert.equal(await store.remove(john.memberId, undefined), false)
    const left = await db.scan(sql`SELECT member_id FROM credential`, (row: Row) => row.member_id)
    assert.deepEqual(left, [])
  })

  test(`${name}: of a concurrent removal and update of one version only one succeeds`, {
    skip,
  }, async (t) => {
    const store = storeOn(await open(t))
    for (let round = 0; round < 20; round++) {
      const john = member()
      await store.insert(john, 'hash')
      const outcomes = await Promise.all([
        store.remove(john.memberId, 1),
        store.replace({ ...john, firstName: 'A', version: 2 }, ['firstName']),
      ])
      assert.deepEqual(outcomes.sort(), [false, true])
    }
  })

  test(`${name}: a filter by whole sign id ignores case and width, and combines with other filters`, {
    skip,
  }, async (t) => {
    const store = storeOn(await open(t))
    for (const signId of ['ｊｏｈｎ', 'john.smith', 'JANE'])
      assert.ok(await store.insert(member({ credential: credentialOf(signId) }), 'hash'))
    const table: readonly [MemberFilter, number][] = [
      [{ signId: whole('JOHN') }, 1],
      [{ signId: whole('joh') }, 0],
      [{ signId: whole('john%') }, 0],
      [{ signId: whole('ｊａｎｅ'), createdFrom: 0 }, 1],
      [{ signId: whole('jane'), createdTo: 0 }, 0],
      [{ signId: whole('jane'), name: 'o' }, 1],
      [{ signId: whole('jane'), name: 'john smith', createdFrom: 0 }, 1],
      [{ signId: whole('jane'), name: 'nobody' }, 0],
    ]
    for (const [filter, count] of table) {
      const { content, totalElements } = await store.page(filter, { number: 0, size: 2, sort: [] })
      const slice = await store.slice(filter, { size: 2, sort: [], after: undefined })
      const streamed = await namesOf(store.stream(filter))
      assert.deepEqual(
        [totalElements, content.length, slice.content.length, streamed.length],
        [count, count, count, count],
        JSON.stringify(filter),
      )
    }
  })

  test(`${name}: pages follow the requested order, and each slice continues where the last one ended`, {
    skip,
  }, async (t) => {
    const store = storeOn(await open(t))
    const lasts = ['B', 'a', 'B', 'C', 'A']
    for (const [at, lastName] of lasts.entries()) {
      await store.insert(member({ lastName, telephoneNumber: at % 2 ? null : String(at) }), 'hash')
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
