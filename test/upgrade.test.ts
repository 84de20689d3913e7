import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '#resources/index.ts'
import type { Engine } from '#sql/engine.ts'
import { migrate, readMigrations } from '#sql/migrate.ts'
import { raw } from '#sql/query.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { engines } from './engines.ts'

/** The tables that the first release made. */
const firstTables = async (engine: Engine) => {
  const rooms = resources.map(({ name, migrations }) => readMigrations(migrations, name, engine.engine))
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

for (const { name, open, skip } of engines) {
  test(`${name}: what the first release wrote is as it was written, after every migration since`, {
    skip,
  }, async (t) => {
    const db = await open(t, firstTables)
    await db.write(async (tx) => {
      for (const row of firstRows) await tx.run(raw(row))
    })
    await migrateAll(db)
    for (const resource of resources) {
      assert.deepEqual(await Array.fromAsync(resource.verify(db)), [])
      assert.equal(
        (await Array.fromAsync(resource.records(db).stream())).flat().length,
        resource.name === 'key' ? 0 : 1,
      )
    }
  })
}
