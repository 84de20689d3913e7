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
  /** Increases with each decision of a user or the service, but not with each row. */
  readonly version: number
  /** The last line that the present stage has processed. */
  readonly done: number
  readonly expiresAt: number
}

interface JobDetails {
  readonly name: string | null
  readonly createdAt: number
  readonly by: JobOwner
  /** The stage of `reading`: delete earlier rows, read the file, or judge its rows. */
  readonly stage: 'clear' | 'read' | 'judge'
  /** How many times the rows were judged. A claim of a unique value is valid only in its round. */
  readonly round: number
  readonly columns: readonly Column[]
  /** Absent until the file is read. */
  readonly sheets?: readonly string[]
  readonly options: Options
  readonly replaced: readonly Replacement[]
  /** The questions that the user must answer. */
  readonly open: readonly string[]
  readonly reason: string | null
  /** Whether it is applied as soon as its rows are judged, if nothing is open. */
  readonly appliesAtOnce?: boolean
  /** Whether applying has ever started. Then the file is not read again. */
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
}

/** The file and the rows are deleted at the next sweep. */
export const removed = { state: 'removed', expiresAt: 0 } as const

/** Another request or the background work changed the import first. */
export class Stale extends Error {}

export const unlessStale = (error: unknown): false => {
  if (!(error instanceof Stale)) throw error
  return false
}

export const importStore = (db: Database, sealing: Encryption) => ({
  ...rowStore(db, sealing),

  find: async (importId: string): Promise<Job | undefined> => {
    const job = isId(importId) ? await db.find(sql`${jobs} WHERE import_id = ${importId}`, toJob) : undefined
    return job?.state === 'removed' ? undefined : job
  },

  newest: async (resources: readonly string[], limit: number): Promise<readonly Job[]> => {
    if (resources.length === 0) return []
    const names = join(
      resources.map((name) => sql`${name}`),
      ', ',
    )
    const shown = sql`state NOT IN ('uploading', 'removed') AND resource IN (${names})`
    return db.read(sql`${jobs} WHERE ${shown} ORDER BY import_id DESC LIMIT ${limit}`, toJob)
  },

  /** Imports with pending work, oldest first. */
  active: () =>
    db.read(raw(`${jobs.text} WHERE state IN ('reading', 'applying', 'undoing') ORDER BY import_id`), toJob),

  insert: async ({ importId, resource, state, version, done, expiresAt, ...told }: Job) => {
    await db.run(sql`
      INSERT INTO import_job (import_id, resource, state, version, done, expires_at, job)
      VALUES (${key(importId)}, ${resource}, ${state}, ${version}, ${done}, ${expiresAt}, ${JSON.stringify(told)})`)
  },

  /** Stores and returns the next version. Throws `Outrun` if another writer stored it first. */
  decide: async (job: Job, change: Partial<Job>): Promise<Job> => {
    const next = { ...job, ...change, version: job.version + 1 }
    await db.write((tx) => replaceJob(tx, next))
    return next
  },

  addPiece: (importId: string, number: number, bytes: Uint8Array) =>
    db.run(
      sql`INSERT INTO import_piece (import_id, number, bytes) VALUES (${key(importId)}, ${number}, ${sealing.seal(bytes)})`,
    ),

  async *pieces(importId: string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number++) {
      const found = await db.find(
        sql`SELECT bytes FROM import_piece WHERE import_id = ${importId} AND number = ${number}`,
        toBytes,
      )
      if (!found) return
      yield sealing.open(found)
    }
  },

  /** Deletes some pieces and rows of expired imports, and returns their number. */
  sweep: async (now: number): Promise<number> => {
    const end =
      db.engine === 'sqlite'
        ? sql`${now}`
        : sql`least(${now}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
    const [finished] = await db.read(finishedFiles, toId)
    if (finished !== undefined) return db.run(deletePieces(finished))
    const ended = await db.read(
      sql`SELECT import_id FROM import_job WHERE expires_at <= ${end} LIMIT 1`,
      toId,
    )
    const [importId] = ended
    if (importId === undefined) return 0
    const forgotten = (await deleteRows(db, importId)) + (await db.run(deletePieces(importId)))
    return forgotten + (await db.run(deleteJob(importId)))
  },

  deleteRows: (importId: string) => deleteRows(db, importId),
})

export type ImportStore = ReturnType<typeof importStore>

export const replaceJob = async (
  tx: Transaction,
  { importId, resource: _, state, version, done, expiresAt, ...told }: Job,
) => {
  const replaced = await tx.run(sql`
    UPDATE import_job SET state = ${state}, version = ${version}, done = ${done}, expires_at = ${expiresAt},
      job = ${JSON.stringify(told)}
    WHERE import_id = ${key(importId)} AND version = ${version - 1}`)
  if (replaced === 0) throw new Stale()
}

/** Stores the progress of a stage. Throws `Outrun` if another writer was faster. */
export const advance = async (tx: Transaction, { importId, version, done }: Job, line: number) => {
  const advanced = await tx.run(sql`
    UPDATE import_job SET done = ${line}
    WHERE import_id = ${key(importId)} AND version = ${version} AND done = ${done}`)
  if (advanced === 0) throw new Stale()
}

/** Rows deleted per statement: few enough that no other write waits long. */
const batchSize = 500

const deleteRows = async (db: Database, importId: string) => {
  const some = (table: string, columns: string) => sql`
    DELETE FROM ${raw(table)} WHERE import_id = ${key(importId)} AND (${raw(columns)}) IN
      (SELECT ${raw(columns)} FROM ${raw(table)} WHERE import_id = ${importId} LIMIT ${batchSize})`
  return (await db.run(some('import_key', 'round, name, value'))) + (await db.run(some('import_row', 'line')))
}

const deletePieces = (importId: string) => sql`
  DELETE FROM import_piece WHERE import_id = ${key(importId)} AND number IN
    (SELECT number FROM import_piece WHERE import_id = ${importId} LIMIT ${piecesAtOnce})`

const piecesAtOnce = 4

/** Files that are no longer needed, because applying has started. */
const finishedFiles = raw(`
  SELECT import_id FROM import_job WHERE state IN ('applying', 'stopped', 'done', 'undoing', 'undone')
    AND EXISTS (SELECT 1 FROM import_piece WHERE import_piece.import_id = import_job.import_id) LIMIT 1`)

const deleteJob = (importId: string) => sql`
  DELETE FROM import_job WHERE import_id = ${key(importId)}
    AND NOT EXISTS (SELECT 1 FROM import_row WHERE import_id = ${importId})
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
