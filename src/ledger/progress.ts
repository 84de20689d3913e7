import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

/** A long task that reads from a source, which may change. */
interface Task {
  /** Names the task and the content of its source. */
  readonly name: string
  /** Names the task and the place of its source. */
  readonly source: string
}

/** How far a task had come when it was interrupted. */
export interface Mark {
  /** The name of the task that left it. */
  readonly name: string
  readonly done: number
  /** How many records it has written. */
  readonly written: number
  /** Names what it had consumed of its source. */
  readonly consumed: string
  /** Whether its source had another content then. */
  readonly isOutdated: boolean
}

type Reached = Pick<Mark, 'done' | 'consumed'>

/** How far a long task has come, so that it can resume there after an interruption. */
export interface Progress {
  /** Undefined if it has not begun, or has finished. */
  begun(): Promise<Mark | undefined>
  /** Continues what was begun with another content of its source. */
  adopt(outdated: Mark): Promise<void>
  /** Runs a step, which returns how many records it wrote. The progress and what the step writes are committed together. */
  step(reached: Reached, work: () => Promise<number>): Promise<number>
  ended(): Promise<void>
}

export const progress = (db: Database, { name, source }: Task): Progress => ({
  async begun() {
    const same = sql`SELECT name, done, written, consumed FROM progress WHERE name = ${key(name)}`
    const outdated = sql`
      SELECT name, done, written, consumed FROM progress WHERE source = ${source} ORDER BY written DESC LIMIT 1`
    return (await db.find(same, toMark(false))) ?? (await db.find(outdated, toMark(true)))
  },

  adopt: async (outdated) => {
    await db.run(sql`UPDATE progress SET name = ${key(name)} WHERE name = ${key(outdated.name)}`)
  },

  step: ({ done, consumed }, work) =>
    db.unit(async (unit) => {
      const written = await work()
      unit.last(async (tx) => {
        await tx.run(sql`
          INSERT INTO progress (name, source, done, consumed, written)
          VALUES (${key(name)}, ${source}, ${done}, ${consumed}, ${written})
          ON CONFLICT (name) DO UPDATE SET done = excluded.done, consumed = excluded.consumed,
            written = progress.written + excluded.written`)
      })
      return written
    }),

  ended: async () => {
    await db.run(sql`DELETE FROM progress WHERE name = ${name} OR source = ${source}`)
  },
})

const toMark =
  (isOutdated: boolean) =>
  (row: Row): Mark => ({
    name: String(row.name),
    done: Number(row.done),
    written: Number(row.written),
    consumed: String(row.consumed),
    isOutdated,
  })
