import type { Database, Row } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

interface AgeParts {
  readonly db: Database
  readonly keepMs: number
  readonly uptimeMs: () => number
}

/** The longest time between two marks. A process that ends loses the running time since its last mark. */
const maxMarkIntervalMs = 10 * 60_000
const marksPerPeriod = 24

/**
 * Finds the changes that are old enough to be deleted. A wall clock may be wrong, so age is measured as running time of the service.
 * Each mark in the database holds the running time so far and the newest change at that time. A new process continues from the
 * newest mark.
 */
export const changeAge = ({ db, keepMs, uptimeMs }: AgeParts) => {
  const markIntervalMs = Math.min(keepMs / marksPerPeriod, maxMarkIntervalMs)
  /** A total running time, and the uptime of this process at the moment when the total was known. */
  let reference = { runMs: 0, atMs: uptimeMs() }

  const totalRunMs = (markedRunMs: number) => {
    const atMs = uptimeMs()
    const runMs = reference.runMs + atMs - reference.atMs
    if (markedRunMs > runMs) reference = { runMs: markedRunMs, atMs }
    return Math.max(markedRunMs, runMs)
  }

  /** The number of the newest change that is older than `keepMs`; 0 if there is none. */
  return async (newest: { readonly number: number; readonly id: string }): Promise<number> => {
    const [markedRunMs] = await db.read(newestMark, toRunMs)
    const now = totalRunMs(markedRunMs ?? 0)
    const end = now - keepMs
    if (markedRunMs === undefined || now - markedRunMs >= markIntervalMs)
      await db.write(async (tx) => {
        await tx.run(sql`
          INSERT INTO change_mark (run_ms, number, change_id) VALUES (${now}, ${newest.number}, ${newest.id})
          ON CONFLICT DO NOTHING`)
        await tx.run(sql`
          DELETE FROM change_mark WHERE run_ms < (SELECT max(run_ms) FROM change_mark WHERE run_ms <= ${end})`)
      })
    // A mark whose change is missing is ignored, because it may belong to another log.
    const [newestExpired = 0] = await db.read(
      sql`
        SELECT change.number FROM change_mark
        JOIN change ON change.number = change_mark.number AND change.change_id = change_mark.change_id
        WHERE change_mark.run_ms <= ${end} ORDER BY change_mark.run_ms DESC LIMIT 1`,
      toNumber,
    )
    return newestExpired
  }
}

const newestMark = raw('SELECT run_ms FROM change_mark ORDER BY run_ms DESC LIMIT 1')

const toRunMs = (row: Row) => Number(row.run_ms)
const toNumber = (row: Row) => Number(row.number)
