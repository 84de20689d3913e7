import type { Database, Row } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'

interface AgeParts {
  readonly db: Database
  readonly keepMs: number
  readonly uptimeMs: () => number
}

/** A process that ends loses at most this much running time, or this share of `keepMs` if that is less. */
const maxMarkMs = 10 * 60_000
const marksKept = 24

/**
 * Finds the changes that are old enough to be deleted. A wall clock may be wrong, so age is the running time of the service: each
 * mark in the database holds the running time so far and the newest change at that time. A process continues from the newest mark.
 */
export const changeAge = ({ db, keepMs, uptimeMs }: AgeParts) => {
  const markMs = Math.min(keepMs / marksKept, maxMarkMs)
  /** The running time from which this process counts, and its uptime at that point. */
  let known = { runMs: 0, atMs: uptimeMs() }

  const counted = (marked: number) => {
    const atMs = uptimeMs()
    const runMs = known.runMs + atMs - known.atMs
    if (marked > runMs) known = { runMs: marked, atMs }
    return Math.max(marked, runMs)
  }

  /** The number of the newest change that is older than `keepMs`; 0 if there is none. */
  return async (newest: { readonly number: number; readonly id: string }): Promise<number> => {
    const [marked] = await db.read(newestMark, toRunMs)
    const now = counted(marked ?? 0)
    const end = now - keepMs
    if (marked === undefined || now - marked >= markMs)
      await db.write(async (tx) => {
        await tx.run(sql`
          INSERT INTO change_mark (run_ms, number, change_id) VALUES (${now}, ${newest.number}, ${newest.id})
          ON CONFLICT DO NOTHING`)
        await tx.run(sql`
          DELETE FROM change_mark WHERE run_ms < (SELECT max(run_ms) FROM change_mark WHERE run_ms <= ${end})`)
      })
    // Ignores marks whose change is missing: they may belong to another log.
    const [old = 0] = await db.read(
      sql`
        SELECT change.number FROM change_mark
        JOIN change ON change.number = change_mark.number AND change.change_id = change_mark.change_id
        WHERE change_mark.run_ms <= ${end} ORDER BY change_mark.run_ms DESC LIMIT 1`,
      toNumber,
    )
    return old
  }
}

const newestMark = raw('SELECT run_ms FROM change_mark ORDER BY run_ms DESC LIMIT 1')

const toRunMs = (row: Row) => Number(row.run_ms)
const toNumber = (row: Row) => Number(row.number)
