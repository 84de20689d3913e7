import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

/** How far a long task has come, so that it can resume there after an interruption. */
export interface Progress {
  /** 0 if it has not begun, or has finished. */
  done(): Promise<number>
  /** Runs a step. The progress and what the step writes are committed together. */
  step<T>(done: number, work: () => Promise<T>): Promise<T>
  ended(): Promise<void>
}

export const progress = (db: Database, name: string): Progress => ({
  async done() {
    const known = await db.find(sql`SELECT done FROM progress WHERE name = ${key(name)}`, toDone)
    return known ?? 0
  },

  step: (done, work) =>
    db.unit(async (unit) => {
      unit.last(async (tx) => {
        await tx.run(sql`
          INSERT INTO progress (name, done) VALUES (${key(name)}, ${done})
          ON CONFLICT (name) DO UPDATE SET done = excluded.done`)
      })
      return work()
    }),

  ended: async () => {
    await db.run(sql`DELETE FROM progress WHERE name = ${key(name)}`)
  },
})

const toDone = (row: Row) => Number(row.done)
