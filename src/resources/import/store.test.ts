import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '#sql/query.ts'
import { engines } from '#test/engines.ts'
import { encryption } from './encryption.ts'
import { importStore } from './store.ts'
import { fileStorage } from './storing.ts'

for (const { name, open, skip } of engines)
  test(`${name}: the sweep deletes all rows and unique values of an expired import`, { skip }, async (t) => {
    const db = await open(t)
    const store = importStore(db, encryption(Buffer.alloc(32)))
    const importId = '01920000-0000-7000-8000-000000000000'
    const clock = { now: () => 0 }
    await fileStorage({ store, clock, newId: () => importId, locale: 'en' })('todo', new Blob(['a']).stream())
    const values = Array.from({ length: 1_500 }, (_, at) => String(at))
    await db.write(async (tx) => {
      await store.insertRow(tx, importId, { line: 1, cells: { cells: [] } })
      for (const value of values)
        await tx.run(sql`INSERT INTO import_key VALUES (${importId}, ${1}, ${'id'}, ${value}, ${1})`)
    })
    while ((await store.sweep(Date.now())) > 0);
    for (const table of ['import_job', 'import_piece', 'import_row', 'import_key'])
      assert.deepEqual(await db.read(raw(`SELECT 1 FROM ${table}`), String), [], table)
  })
