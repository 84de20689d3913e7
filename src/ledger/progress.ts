import type { Database, Row } from '#sql/database.ts'
import { key, raw, sql } from '#sql/query.ts'

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
  readonly refused: number
  /** Names what it had consumed of its source. */
  readonly consumed: string
  /** Whether its source had another content then. */
  readonly isOutdated: boolean
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

/** How far a long task has come, so that it can resume there after an interruption. */
export interface Progress {
  /** Undefined if it has not begun, or has finished. */
  begun(): Promise<Mark | undefined>
  /** Continues what was begun with another content of its source. */
  adopt(outdated: Mark): Promise<void>
  /**
   * Runs a step, which returns how many records it wrote. The progress and what the step writes are committed together. If
   * the task runs elsewhere, the step fails before its work begins.
   */
  step(step: Step, work: () => Promise<number>): Promise<number>
  ended(): Promise<void>
}

export const progress = (db: Database, { name, source }: Task): Progress => ({
  async begun() {
    const same = sql`${columns} FROM progress WHERE name = ${key(name)}`
    const outdated = sql`${columns} FROM progress WHERE source = ${source} ORDER BY written DESC LIMIT 1`
    return (await db.find(same, toMark(false))) ?? (await db.find(outdated, toMark(true)))
  },

  adopt: async (outdated) => {
    await db.run(sql`UPDATE progress SET name = ${key(name)} WHERE name = ${key(outdated.name)}`)
  },

  step: ({ after, done, consumed, records }, work) =>
    db.unit(async () => {
      const begin = sql`
        INSERT INTO progress (name, source, done, consumed, written, refused)
        VALUES (${key(name)}, ${source}, ${done}, ${consumed}, 0, 0)
        ON CONFLICT (name) DO NOTHING`
      const moveOn = sql`
        UPDATE progress SET done = ${done}, consumed = ${consumed} WHERE name = ${key(name)} AND done = ${after}`
      if ((await db.run(after === 0 ? begin : moveOn)) === 0) throw new RunsElsewhere()
      const written = await work()
      await db.run(sql`
        UPDATE progress SET written = written + ${written}, refused = refused + ${records - written}
        WHERE name = ${key(name)}`)
      return written
    }),

  ended: async () => {
    await db.run(sql`DELETE FROM progress WHERE name = ${name} OR source = ${source}`)
  },
})

const columns = raw('SELECT name, done, written, refused, consumed')

const toMark =
  (isOutdated: boolean) =>
  (row: Row): Mark => ({
    name: String(row.name),
    done: Number(row.done),
    written: Number(row.written),
    refused: Number(row.refused),
    consumed: String(row.consumed),
    isOutdated,
  })
