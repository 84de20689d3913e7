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
  readonly done: number
  /** How many records it has written. */
  readonly written: number
  /** Whether its source had another content then. */
  readonly isOutdated: boolean
}

/** How far a long task has come, so that it can resume there after an interruption. */
export interface Progress {
  /** Undefined if it has not begun, or has finished. */
  begun(): Promise<Mark | undefined>
  /** Runs a step, which returns how many records it wrote. The progress and what the step writes are committed together. */
  step(done: number, work: () => Promise<number>): Promise<number>
  ended(): Promise<void>
}

export const progress = (db: Database, { name, source }: Task): Progress => ({
  async begun() {
    const same = sql`SELECT done, written FROM progress WHERE name = ${key(name)}`
    const outdated = sql`
      SELECT done, written FROM progress WHERE source = ${source} ORDER BY written DESC LIMIT 1`
    return (await db.find(same, toMark(false))) ?? (await db.find(outdated, toMark(true)))
  },

  step: (done, work) =>
    db.unit(async (unit) => {
      const written = await work()
      unit.last(async (tx) => {
        await tx.run(sql`
          INSERT INTO progress (name, source, done, written)
          VALUES (${key(name)}, ${source}, ${done}, ${written})
          ON CONFLICT (name) DO UPDATE SET done = excluded.done, written = progress.written + excluded.written`)
      })
      return written
    }),

  ended: async () => {
    await db.run(sql`DELETE FROM progress WHERE name = ${name} OR source = ${source}`)
  },
})

const toMark =
  (isOutdated: boolean) =>
  (row: Row): Mark => ({ done: Number(row.done), written: Number(row.written), isOutdated })
