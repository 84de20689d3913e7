import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '#resources/index.ts'
import type { MemberFilter } from '#resources/member/filter.ts'
import { member } from '#resources/member/index.ts'
import { gramsOf } from '#resources/member/index-words.ts'
import { insertMember, noInvitation, rebuildSearchColumns } from '#resources/member/rows.ts'
import type { Engine } from '#sql/engine.ts'
import { migrate } from '#sql/migrate.ts'
import { readMigrations } from '#sql/migration-files.ts'
import { raw } from '#sql/query.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { verifyTables } from '#src/app/tables.ts'
import { engines } from './engines.ts'
import { memberStoreOn, storedMember } from './stored-members.ts'

/** The tables that the first release made. */
const firstTables = async (engine: Engine) => {
  const rooms = resources.flatMap(({ name, migrations }) =>
    migrations ? [readMigrations(migrations, name, engine.engine)] : [],
  )
  const all = (await Promise.all(rooms)).flat()
  await migrate(
    engine,
    all.filter(({ name }) => name.startsWith('001-')),
  )
}

const memberId = '01920000-0000-7000-8000-000000000001'
const now = 1767225600000
const hash =
  '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'

/** Rows as the first release wrote them, with the checksums that it computed. */
const firstRows = [
  `INSERT INTO credential
     (member_id, sign_id, sign_id_folded, password_hash, password_last_changed_at, last_modified_at, checksum)
   VALUES ('${memberId}', 'john', 'john', '${hash}', ${now}, ${now}, 323033134)`,
  `INSERT INTO member
     (member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number, zip_code, address,
      searchable_name, created_at, last_modified_at, version, checksum)
   VALUES ('${memberId}', 'John', 'Smith', '1', '1983-01-17', 'john@example.com', NULL, '', NULL,
     'john smith\u001fsmith john', ${now}, ${now}, 1, 3709673944)`,
  `INSERT INTO member_gram (rowid, grams) SELECT member_number, '6a' FROM member`,
  `INSERT INTO todo (todo_id, todo_title, finished, created_at, version, checksum)
   VALUES ('${memberId}', 'Buy milk', false, ${now}, 1, 18474276)`,
]

const marked = '01920000-0000-7000-8000-000000000002'

/** A name with accents, folded as releases before the third migration of members folded it. */
const markedRows = [
  `INSERT INTO credential
     (member_id, sign_id, sign_id_folded, password_hash, password_last_changed_at, last_modified_at, checksum)
   VALUES ('${marked}', 'José', 'josé', '${hash}', ${now}, ${now}, 2168934390)`,
  `INSERT INTO member
     (member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number, zip_code, address,
      searchable_name, created_at, last_modified_at, version, checksum)
   VALUES ('${marked}', 'José', 'García', '1', '1983-01-17', 'jose@example.com', NULL, NULL, NULL,
     'josé garcía\u001fgarcía josé', ${now}, ${now}, 1, 3181603163)`,
  `INSERT INTO member_gram (rowid, grams)
   SELECT member_number, '${gramsOf('josé garcía\u001fgarcía josé')}' FROM member WHERE member_id = '${marked}'`,
]

const whole = (text: string) => ({ text, isPrefix: false })

const write = (db: Engine, statements: readonly string[]) =>
  db.write(async (tx) => {
    for (const statement of statements) await tx.run(raw(statement))
  })

for (const { name, open, skip } of engines) {
  test(`${name}: rows of the first release are unchanged; names are found without their accents, sign ids only with them`, {
    skip,
  }, async (t) => {
    const db = await open(t, firstTables)
    await write(db, [...firstRows, ...markedRows])
    const rewritten: string[] = []
    const rewriting = (step: string) => void rewritten.push(step)
    await migrateAll(db, resources, { rewriting })
    assert.ok(rewritten.includes('member/008-searchable-text'), rewritten.join(' '))
    await migrateAll(db)
    assert.deepEqual(await Array.fromAsync(verifyTables(db, resources)), [])
    for (const resource of resources) {
      assert.deepEqual(await Array.fromAsync(resource.verify(db)), [])
      const kept = (await Array.fromAsync(resource.records(db).stream())).flat()
      assert.equal(kept.length, { member: 2, todo: 1 }[resource.name] ?? 0, resource.name)
    }
    const { page } = memberStoreOn(db)
    const found = async (filter: MemberFilter) =>
      (await page(filter, { number: 0, size: 20, sort: [] })).content.map(({ memberId }) => memberId)
    for (const needle of ['garcia', 'GARCÍA', 'jose g', 'e'])
      assert.deepEqual(await found({ name: needle }), [marked])
    assert.deepEqual(await found({ signId: whole('JOSÉ') }), [marked])
    assert.deepEqual(await found({ signId: whole('jose') }), [])
    assert.deepEqual(await found({ emailAddress: { text: 'JOSE@', isPrefix: true } }), [marked])
    assert.deepEqual(await found({ q: 'jose@example' }), [marked])
    assert.deepEqual(await found({ q: 'garcia', bornFrom: '1983-01-17' }), [marked])
    assert.deepEqual(await found({ q: 'garcia', birthdayTo: '01-18' }), [marked])
  })

  test(`${name}: an upgrade rewrites the derived columns of all rows, even if they need several reads`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    const members = Array.from({ length: 1001 }, (_, at) => storedMember(at, { firstName: 'Zoë' }))
    await db.write((tx) =>
      Promise.all(members.map((one) => insertMember(tx, { ...one, credential: credential(one.memberId) }))),
    )
    await write(db, [`UPDATE member SET searchable_name = 'zoë'`, 'DELETE FROM member_gram'])
    await db.alter(rebuildSearchColumns())
    assert.deepEqual(await Array.fromAsync(member.verify(db)), [])
  })
}

const credential = (memberId: string) => ({
  memberId,
  signId: memberId,
  passwordHash: hash,
  passwordLastChangedAt: now,
  lastModifiedAt: now,
  role: null,
  roleChangedAt: null,
  ...noInvitation,
})
