import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Flag, Id, Nullable, Text, Version } from '#core/schema.ts'
import { engines } from '#test/engines.ts'
import { raw } from './query.ts'
import { faultyRows } from './records.ts'
import { table } from './table.ts'

const fields = { thingId: Id, isNew: Flag, version: Version }
const oldTable = table({ name: 'thing', key: 'thingId', fields })
const newTable = table({
  name: 'thing',
  key: 'thingId',
  fields: { thingId: Id, nickName: Nullable(Text(1, 20)), isNew: Flag, version: Version },
  addedLater: ['nickName'],
})

const thing = { thingId: '01920000-0000-7000-8000-000000000001', isNew: true, version: 1 }

for (const { name, open, skip } of engines) {
  test(`${name}: a row's checksum stays valid when its table gets a column, and covers the column after the next change of the row`, {
    skip,
  }, async (t) => {
    const db = await open(t)
    await db.alter((tx) => tx.exec(createThing[db.engine]))
    await db.run(oldTable.insert(thing))
    await db.alter((tx) => tx.exec('ALTER TABLE thing ADD COLUMN nick_name text'))
    const read = async () =>
      (await db.scan(raw(`SELECT ${newTable.selected} FROM thing`), newTable.toRecord))[0]
    const faults = async () => (await Array.fromAsync(faultyRows(db, newTable))).map(({ says }) => says)
    assert.deepEqual(await read(), { ...thing, nickName: null })
    assert.deepEqual(await faults(), [])
    const named = { ...thing, nickName: 'x', version: 2 }
    assert.equal(await db.run(newTable.update(named)), 1)
    assert.deepEqual(await read(), named)
    assert.deepEqual(await faults(), [])
    for (const changed of ["'y'", 'NULL']) {
      await db.run(raw(`UPDATE thing SET nick_name = ${changed}`))
      assert.deepEqual(await faults(), ['it is not as it was written: its checksum does not match'])
    }
    await db.run(raw("UPDATE thing SET nick_name = ''"))
    assert.equal((await faults())[0], 'its nick name is not valid')
  })
}

const createThing = {
  sqlite: `CREATE TABLE thing (
    thing_id TEXT PRIMARY KEY, is_new INTEGER NOT NULL, version INTEGER NOT NULL, checksum INTEGER NOT NULL)`,
  postgres: `CREATE TABLE thing (
    thing_id uuid PRIMARY KEY, is_new boolean NOT NULL, version integer NOT NULL, checksum bigint NOT NULL)`,
}
