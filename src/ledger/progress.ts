import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

/** The progress of a task when it was interrupted. */
export interface Mark {
  readonly done: number
  /** How many records it has written. */
  readonly written: number
  readonly refused: number
  /** Names the part of its source that was consumed. */
  readonly consumed: string
}

/** Where a step begins and ends. */
interface Step extends Pick<Mark, 'done' | 'consumed'> {
  /** Where the step before ended, or 0. */
  readonly after: number
  /** How many records it writes or refuses. */
  readonly records: number
}

/** The same task has moved on meanwhile: it runs elsewhere. */
export class RunsElsewhere extends Error {}

/** The progress of a long task, which resumes there after an interruption. */
export interface Progress {
  /** Undefined if it has not begun, or has finished. */
  begun(): Promise<Mark | undefined>
  /**
   * Runs a step, which returns how many records it wrote. The progress and what the step writes are committed together. If
   * the task runs elsewhere, the step fails before its work begins.
   */
  step(step: Step, work: () => Promise<number>): Promise<number>
  ended(): Promise<void>
}

/** The task is named with the place of its source. */
export const progress = (db: Database, task: string): Progress => ({
  begun: () =>
    db.find(
      sql`SELECT done, written, refused, consumed FROM progress WHERE source = ${task} ORDER BY written DESC LIMIT 1`,
      toMark,
    ),

  step: ({ after, done, consumed, records }, work) =>
    db.unit(async () => {
      const begin = sql`
        INSERT INTO progress (name, source, done, consumed, written, refused)
        VALUES (${key(task)}, ${task}, ${done}, ${consumed}, 0, 0)
        ON CONFLICT (name) DO NOTHING`
      const moveOn = sql`
        UPDATE progress SET done = ${done}, consumed = ${consumed} WHERE source = ${task} AND done = ${after}`
      if ((await db.run(after === 0 ? begin : moveOn)) === 0) throw new RunsElsewhere()
      const written = await work()
      await db.run(sql`
        UPDATE progress SET written = written + ${written}, refused = refused + ${records - written}
        WHERE source = ${task}`)
      return written
    }),

  ended: async () => {
    await db.run(sql`DELETE FROM progress WHERE source = ${task}`)
  },
})

const toMark = (row: Row): Mark => ({
  done: Number(row.done),
  written: Number(row.written),
  refused: Number(row.refused),
  consumed: String(row.consumed),
})
