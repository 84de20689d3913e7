import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

/** How far a long piece of work has come, so that it goes on there after it was cut off. */
export interface Progress {
  /** 0 where it was never begun, or has ended. */
  done(): Promise<number>
  /** Runs a step. That it was done is written together with what it writes, or neither is. */
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
