import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#core/problem.ts'
import type { Database, RowMapper } from '#sql/database.ts'
import type { Engine } from '#sql/engine.ts'
import { type Migration, migrate } from '#sql/migrate.ts'
import { key, sql } from '#sql/query.ts'

/** A database for a test, which is closed when the test ends. */
export interface Opened {
  readonly name: string
  /** Opens a database without tables. */
  open(t: TestContext): Promise<Engine>
  /** The reason if the suite cannot run here. */
  readonly skip: string | false
}

/** A database with an empty table of things. */
export const withThings = async ({ open }: Opened, t: TestContext) => {
  const database = await open(t)
  await migrate(database, [things])
  return database
}

export const things: Migration = {
  owner: 'thing',
  name: '001-things',
  text: `
    CREATE TABLE thing (
      id TEXT PRIMARY KEY,
      title TEXT,
      done BOOLEAN NOT NULL DEFAULT FALSE,
      rank BIGINT NOT NULL DEFAULT 1,
      bytes BYTEA
    );
    CREATE INDEX thing_rank ON thing (rank);`,
}

export interface Thing {
  readonly id: string
  readonly title: string | null
  readonly done: boolean
  readonly rank: number
}

export const thing: RowMapper<Thing> = (row) => ({
  id: String(row.id),
  title: row.title as string | null,
  done: Boolean(row.done),
  rank: Number(row.rank),
})

export const id: RowMapper<string> = (row) => String(row.id)

export const titleOf = ({ title }: { readonly title?: unknown }) => title

export const everything = sql`SELECT id, title, done, rank FROM thing ORDER BY rank, id`

export const all = (database: Database) => database.read(everything, thing)

export const add = async (database: Database, id: string, title: string): Promise<void> => {
  await database.write((tx) => tx.run(sql`INSERT INTO thing (id, title) VALUES (${key(id)}, ${title})`))
}

export const drained = async (database: Database, query = everything) => {
  const rows: Thing[] = []
  for await (const batch of database.stream(query, thing)) rows.push(...batch)
  return rows
}

export const refused = (kind: Problem['kind'], work: Promise<unknown>) =>
  assert.rejects(work, (error) => error instanceof Problem && error.kind === kind)

export const until = async (holds: () => boolean | Promise<boolean>) => {
  for (let waits = 0; !(await holds()); waits++) {
    assert.ok(waits < 3_000, 'the condition was never met')
    await sleep(10)
  }
}
