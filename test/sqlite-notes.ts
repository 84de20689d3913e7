import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Problem } from '#core/problem.ts'
import type { Database, RowMapper } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { migrate } from '#sql/migrate.ts'
import { type OpenOptions, openDatabase } from '#sql/open.ts'
import { key, sql } from '#sql/query.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { refused, until } from './sql/suite/things.ts'

export { refused, until }

export const openForTest = async (t: TestContext, url: string, options: OpenOptions = {}) => {
  const database = await openDatabase(url, options)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= database.close()
    return closed
  }
  t.after(close)
  return { ...database, close }
}

export const notes = {
  owner: 'note',
  name: '001-notes',
  text: 'CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);',
}

export const withNotes = async (
  t: TestContext,
  options: OpenOptions = {},
  url = 'sqlite::memory:',
): Promise<Engine> => {
  const database = await openForTest(t, url, options)
  await migrate(database, [notes])
  return database
}

export const newPath = () => join(freshFolder(), 'rollcall.db')

/** A closed database with a few pages. */
export const filledFile = async (t: TestContext) => {
  const path = newPath()
  const database = await withNotes(t, {}, `sqlite:${path}`)
  await addMany(database)
  await database.close()
  return path
}

/** Another process that opens the database, and prints the id of each note that it has written. */
export const writer = async (t: TestContext, path: string): Promise<ChildProcess> => {
  const program = `
    import { openDatabase } from '#sql/open.ts'
    import { migrate } from '#sql/migrate.ts'
    import { sql } from '#sql/query.ts'
    const database = await openDatabase(${JSON.stringify(`sqlite:${path}`)})
    await migrate(database, [${JSON.stringify(notes)}])
    for (let count = 0; ; count++) {
      const ids = [1, 2, 3].map((part) => 'note' + count + '-' + part)
      await Promise.all(ids.map((id) => database.write((tx) => tx.run(sql\`INSERT INTO note (id) VALUES (\${id})\`))))
      process.stdout.write(ids.join('\\n') + '\\n')
    }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  child.stdout.setEncoding('utf8')
  await once(child.stdout, 'data')
  return child
}

export const add = async (database: Database, id: string, text = ''): Promise<void> => {
  await database.write((tx) => tx.run(sql`INSERT INTO note (id, text) VALUES (${key(id)}, ${text})`))
}

export const addMany = (database: Database) =>
  database.write((tx) =>
    tx.run(sql`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO note (id, text) SELECT 'note' || i, 'text' FROM n`),
  )

export const rename = (database: Database, id: string) =>
  database.write((tx) => tx.run(sql`UPDATE note SET text = ${'new'} WHERE id = ${key(id)}`))

export const id: RowMapper<string> = (row) => String(row.id)

export const text: RowMapper<string> = (row) => String(row.text)

export const ids = (database: Database) => database.read(sql`SELECT id FROM note ORDER BY id`, id)

export const firstBatch = async (database: Database, query = sql`SELECT * FROM note`) => {
  for await (const batch of database.stream(query, id)) return batch
  return []
}

export const blockThisThread = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

export const kindOf = (error: unknown) => (error instanceof Problem ? error.kind : error)

export const assertUnusable = (reason: Reason, path: string, options: OpenOptions = {}) =>
  assert.rejects(openDatabase(`sqlite:${path}`, options), (error) => {
    assert.ok(error instanceof DataUnusable, String(error))
    assert.equal(error.reason, reason)
    return true
  })
