import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { erasureTopic } from '#sql/database.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { until } from '#test/sql/suite/things.ts'
import { overwriteUnusedBytes } from './unused-bytes.ts'

/** Pseudo-random numbers, the same in every run. */
const pseudoRandom = () => {
  let drawn = 0
  return (below: number) => createHash('md5').update(String(drawn++)).digest().readUInt32BE(0) % below
}

const tables = `
  CREATE TABLE a (number INTEGER PRIMARY KEY, id TEXT UNIQUE, value TEXT) STRICT;
  CREATE TABLE b (id TEXT PRIMARY KEY, value TEXT UNIQUE) STRICT, WITHOUT ROWID;
  CREATE INDEX a_value ON a (value, number)`

interface DeletionOptions {
  readonly secureDelete: string
  readonly maxTextLength: number
}

/** Fills a file with rows, then replaces and deletes some. */
const createFileWithDeletions = (path: string, { secureDelete, maxTextLength }: DeletionOptions) => {
  using db = new DatabaseSync(path)
  db.exec(`PRAGMA synchronous = OFF; PRAGMA secure_delete = ${secureDelete}; ${tables}; BEGIN`)
  const draw = pseudoRandom()
  const textOf = (row: number) => `row-${row}- ${'x'.repeat(draw(draw(20) === 0 ? maxTextLength : 300))}`
  const idOf = (row: number) => createHash('md5').update(`id ${row}`).digest('hex')
  const insert = [
    db.prepare('INSERT INTO a (id, value) VALUES (?, ?)'),
    db.prepare('INSERT INTO b VALUES (?, ?)'),
  ]
  const update = ['a', 'b'].map((table) => db.prepare(`UPDATE ${table} SET value = ? WHERE id = ?`))
  const remove = ['a', 'b'].map((table) => db.prepare(`DELETE FROM ${table} WHERE id = ?`))
  for (let row = 0; row < rowCount; row++) {
    for (const statement of insert) statement.run(idOf(row), textOf(row))
    const other = draw(row + 1)
    for (const statement of update) statement.run(textOf(other), idOf(other))
  }
  for (let row = 0; row < rowCount; row += 4) for (const statement of remove) statement.run(idOf(row))
  for (let row = 1; row < rowCount / 2; row += 4) for (const statement of remove) statement.run(idOf(row))
  db.exec('COMMIT')
}

const rowCount = 3_000
const isDeleted = (row: number) => row % 4 === 0 || (row % 4 === 1 && row < rowCount / 2)

/** Counts the traces of deleted rows in the file. */
const countTraces = (path: string) =>
  existsSync(path)
    ? [...readFileSync(path, 'latin1').matchAll(/row-(\d+)-/g)].filter(([, row]) => isDeleted(Number(row)))
        .length
    : 0

const contentOf = (path: string) => {
  using db = new DatabaseSync(path)
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  return ['a', 'b'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
}

for (const wear of [
  { secureDelete: 'ON', maxTextLength: 9_000 },
  // Earlier versions deleted without secure_delete. A long row then leaves traces at the end of an overflow page.
  { secureDelete: 'OFF', maxTextLength: 300 },
])
  test(`after its unused bytes were overwritten, a file has all its rows and no trace of deleted rows (secure_delete ${wear.secureDelete})`, async () => {
    const path = join(freshFolder(), 'worn.db')
    createFileWithDeletions(path, wear)
    const content = contentOf(path)
    assert.ok(countTraces(path) > 0)
    const file = openSync(path, 'r+')
    await overwriteUnusedBytes(file)
    closeSync(file)
    assert.equal(countTraces(path), 0)
    assert.deepEqual(contentOf(path), content)
  })

test('deleted data does not come back from the page cache of the writer', async (t) => {
  const path = join(freshFolder(), 'erased.db')
  const db = await openDatabase(`sqlite:${path}`)
  t.after(() => db.close())
  await db.alter((tx) =>
    tx.exec('CREATE TABLE b (id TEXT PRIMARY KEY, value TEXT UNIQUE, more INTEGER) STRICT'),
  )
  const write = (statements: readonly string[]) =>
    db.write(async (tx) => {
      for (const text of statements) await tx.run(raw(text))
    })
  const all = Array.from({ length: rowCount }, (_, row) => row)
  const draw = pseudoRandom()
  const keyOf = (row: number) => createHash('md5').update(String(row)).digest('hex')
  await write(
    all.map(
      (row) =>
        `INSERT INTO b VALUES ('${keyOf(row)}', '${keyOf(row)} row-${row}- ${'x'.repeat(draw(200))}', 0)`,
    ),
  )
  await db.write(async (tx) => {
    for (const row of all.filter(isDeleted)) await tx.run(raw(`DELETE FROM b WHERE id = '${keyOf(row)}'`))
    await tx.publish(erasureTopic, '')
  })
  await until(async () => countTraces(path) + countTraces(`${path}-wal`) === 0)
  await write(
    all
      .filter((row) => !isDeleted(row))
      .map((row) => `UPDATE b SET value = value || '!' WHERE id = '${keyOf(row)}'`),
  )
  await db.close()
  assert.equal(countTraces(path), 0)
})
