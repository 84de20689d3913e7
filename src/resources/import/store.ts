import type { DateOrder } from '#core/foreign-files.ts'
import { isId } from '#core/id.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { join, key, raw, sql } from '#sql/query.ts'
import type { Encryption } from './encryption.ts'
import { rowStore } from './rows.ts'
import type { Options, Replacement, State } from './schema.ts'

export interface Job extends JobDetails {
  readonly importId: string
  readonly resource: string
  readonly state: State | 'uploading' | 'removed'
  /** Increases with each change by a caller and each change of the state, but not with the progress. */
  readonly version: number
  /** The last line that the current stage has processed. */
  readonly done: number
  readonly expiresAt: number
}

interface JobDetails {
  readonly name: string | null
  readonly createdAt: number
  readonly by: JobOwner
  /** The stage of `reading`: delete earlier rows, read the file, or check its rows. */
  readonly stage: 'clear' | 'read' | 'judge'
  /** Increases each time that all rows are checked again. The claims of unique values are valid for one round. */
  readonly round: number
  readonly columns: readonly Column[]
  /** Fields that rows may show although no column has them now: corrected ones, and those of earlier columns. */
  readonly otherFields?: readonly string[]
  /** Absent until the file is read. */
  readonly sheets?: readonly string[]
  readonly options: Options
  readonly replaced: readonly Replacement[]
  /** The questions that the user must answer. */
  readonly open: readonly string[]
  readonly reason: string | null
  /** If true, the import is applied as soon as its rows are checked and no question is open. */
  readonly appliesAtOnce?: boolean
  /** True once applying was started. Then the file cannot be read again. */
  readonly isBegun?: boolean
}

export interface Column {
  readonly heading: string | null
  readonly field: string | null
  /** The order of day and month, if the dates of the column show it. */
  readonly dates?: DateOrder | undefined
}

/** The caller who last started work on the import. `by` is the caller's name in the log of changes. */
export interface JobOwner {
  readonly by: string
  readonly track: string
  readonly kind: Principal['kind']
  readonly name: string
  readonly id: string | null
  readonly scopes: readonly string[] | null
  /** The principal who sent the file. Absent until an import of an earlier version is applied. */
  readonly owner?: string
  /** The scopes of all who have started work, or null if one of them has every right. Absent if only the sender has. */
  readonly checkedWith?: readonly string[] | null
}

/** The fields that rows may show, with these corrected ones. */
export const shownFields = (
  { columns, replaced, otherFields = [] }: Pick<Job, 'columns' | 'replaced' | 'otherFields'>,
  corrected: Readonly<Record<string, unknown>> = {},
): readonly string[] => {
  const mapped = [...columns, ...replaced].flatMap(({ field }) => field ?? [])
  return [...new Set([...otherFields, ...mapped, ...Object.keys(corrected)])]
}

/** Marks an import as removed. The next sweep deletes its file and rows. */
export const removed = { state: 'removed', expiresAt: 0 } as const

/** Thrown if another request or the background work changed the import first. */
export class Stale extends Error {}

export const falseIfStale = (error: unknown): false => {
  if (!(error instanceof Stale)) throw error
  return false
}

export const importStore = (db: Database, cipher: Encryption) => ({
  ...rowStore(db, cipher),

  find: async (importId: string): Promise<Job | undefined> => {
    const job = isId(importId) ? await db.find(sql`${jobs} WHERE import_id = ${importId}`, toJob) : undefined
    return job?.state === 'removed' ? undefined : job
  },

  newest: async (resources: readonly string[], limit: number): Promise<readonly Job[]> => {
    if (resources.length === 0) return []
    const parameters = resources.map((name) => sql`${name}`)
    const names = join(parameters, ', ')
    const visible = sql`state NOT IN ('uploading', 'removed') AND resource IN (${names})`
    return db.read(sql`${jobs} WHERE ${visible} ORDER BY import_id DESC LIMIT ${limit}`, toJob)
  },

  /** Imports with pending work, oldest first. */
  active: () =>
    db.read(raw(`${jobs.text} WHERE state IN ('reading', 'applying', 'undoing') ORDER BY import_id`), toJob),

  insert: async ({ importId, resource, state, version, done, expiresAt, ...details }: Job) => {
    await db.run(sql`
      INSERT INTO import_job (import_id, resource, state, version, done, expires_at, job)
      VALUES (${key(importId)}, ${resource}, ${state}, ${version}, ${done}, ${expiresAt}, ${JSON.stringify(details)})`)
  },

  /** Stores and returns the next version of an import. Throws `Stale` if another writer stored it first. */
  save: async (job: Job, change: Partial<Job>): Promise<Job> => {
    const next = { ...job, ...change, version: job.version + 1 }
    await db.write((tx) => replaceJob(tx, next))
    return next
  },

  addPiece: (importId: string, number: number, bytes: Uint8Array) =>
    db.run(
      sql`INSERT INTO import_piece (import_id, number, bytes) VALUES (${key(importId)}, ${number}, ${cipher.seal(bytes)})`,
    ),

  async *pieces(importId: string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number++) {
      const found = await db.find(
        sql`SELECT bytes FROM import_piece WHERE import_id = ${importId} AND number = ${number}`,
        toBytes,
      )
      if (!found) return
      yield cipher.open(found)
    }
  },

  /** Deletes some pieces and rows of expired imports, and returns their number. */
  sweep: async (now: number): Promise<number> => {
    // On PostgreSQL, the earlier of two clocks decides, because the clock of this host may be ahead.
    const deadline =
      db.engine === 'sqlite'
        ? sql`${now}`
        : sql`least(${now}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
    const [finished] = await db.read(finishedFiles, toId)
    if (finished !== undefined) return db.run(deletePieces(finished))
    const expired = sql`SELECT import_id FROM import_job WHERE expires_at <= ${deadline} LIMIT 1`
    const [importId] = await db.read(expired, toId)
    if (importId === undefined) return 0
    const deletedCount = (await deleteRows(db, importId)) + (await db.run(deletePieces(importId)))
    return deletedCount + (await db.run(deleteJob(importId)))
  },

  deleteRows: (importId: string) => deleteRows(db, importId),
})

export type ImportStore = ReturnType<typeof importStore>

export const replaceJob = async (
  tx: Transaction,
  { importId, resource: _, state, version, done, expiresAt, ...details }: Job,
) => {
  const replaced = await tx.run(sql`
    UPDATE import_job SET state = ${state}, version = ${version}, done = ${done}, expires_at = ${expiresAt},
      job = ${JSON.stringify(details)}
    WHERE import_id = ${key(importId)} AND version = ${version - 1}`)
  if (replaced === 0) throw new Stale()
}

/** Stores the progress of a stage. Throws `Stale` if another writer was faster. */
export const saveProgress = async (tx: Transaction, { importId, version, done }: Job, line: number) => {
  const advanced = await tx.run(sql`
    UPDATE import_job SET done = ${line}
    WHERE import_id = ${key(importId)} AND version = ${version} AND done = ${done}`)
  if (advanced === 0) throw new Stale()
}

/** Few rows are deleted by one statement, so that no other write waits long. */
const rowsPerStatement = 500

const deleteRows = async (db: Database, importId: string) => {
  const deleteSome = (table: string, columns: string) => sql`
    DELETE FROM ${raw(table)} WHERE import_id = ${key(importId)} AND (${raw(columns)}) IN
      (SELECT ${raw(columns)} FROM ${raw(table)} WHERE import_id = ${importId} LIMIT ${rowsPerStatement})`
  return (
    (await db.run(deleteSome('import_key', 'round, name, value'))) +
    (await db.run(deleteSome('import_row', 'line')))
  )
}

const deletePieces = (importId: string) => sql`
  DELETE FROM import_piece WHERE import_id = ${key(importId)} AND number IN
    (SELECT number FROM import_piece WHERE import_id = ${importId} LIMIT ${piecesPerStatement})`

const piecesPerStatement = 4

/** Imports whose file is no longer needed, because applying was started. */
const finishedFiles = raw(`
  SELECT import_id FROM import_job WHERE state IN ('applying', 'stopped', 'done', 'undoing', 'undone')
    AND EXISTS (SELECT 1 FROM import_piece WHERE import_piece.import_id = import_job.import_id) LIMIT 1`)

const deleteJob = (importId: string) => sql`
  DELETE FROM import_job WHERE import_id = ${key(importId)}
    AND NOT EXISTS (SELECT 1 FROM import_row WHERE import_id = ${importId})
    AND NOT EXISTS (SELECT 1 FROM import_key WHERE import_id = ${importId})
    AND NOT EXISTS (SELECT 1 FROM import_piece WHERE import_id = ${importId})`

const jobs = raw('SELECT import_id, resource, state, version, done, expires_at, job FROM import_job')

const toId = (row: Row) => String(row.import_id)
const toBytes = (row: Row) => row.bytes as Uint8Array

const toJob = (row: Row): Job => ({
  importId: String(row.import_id),
  resource: String(row.resource),
  state: row.state as Job['state'],
  version: Number(row.version),
  done: Number(row.done),
  expiresAt: Number(row.expires_at),
  ...(JSON.parse(String(row.job)) as JobDetails),
})
