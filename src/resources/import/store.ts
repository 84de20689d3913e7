import { isId } from '#core/id.ts'
import type { Detail } from '#core/problem.ts'
import type { Principal } from '#http/api/guard.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { key, type Query, raw, sql } from '#sql/query.ts'
import type { Counts, ImportRow, Options, Outcome, Replacement, State } from './schema.ts'

/** An import, as it is stored. */
export interface Job extends Told {
  readonly importId: string
  readonly resource: string
  readonly state: State | 'uploading' | 'removed'
  /** Changes with everything that somebody or the service decides, not with each row. */
  readonly version: number
  /** The last line of the present stage that is done. */
  readonly done: number
  readonly expiresAt: number
}

interface Told {
  readonly name: string | null
  readonly createdAt: number
  readonly by: Beginner
  /** What `reading` is about: to forget earlier rows, to read the file, or to judge its rows. */
  readonly stage: 'clear' | 'read' | 'judge'
  /** Counts how often the rows were judged: values that only one row may have belong to a round. */
  readonly round: number
  readonly columns: readonly Column[]
  readonly options: Options
  readonly replaced: readonly Replacement[]
  readonly open: readonly string[]
  readonly reason: string | null
}

export interface Column {
  readonly heading: string | null
  readonly field: string | null
}

/** Who asked for it, and what it is called in the log of changes. */
export interface Beginner {
  readonly by: string
  readonly track: string
  readonly kind: Principal['kind']
  readonly name: string
  readonly id: string | null
  readonly scopes: readonly string[] | null
}

export interface Staged {
  readonly line: number
  readonly cells: Cells
  readonly outcome: Outcome | null
  readonly recordId: string | null
  readonly judged: Judged | null
  /** The version of the record that it made. */
  readonly applied: number | null
}

/** What the file says in a row, and other values for some fields. */
export interface Cells {
  readonly cells: readonly (string | null)[] | Readonly<Record<string, unknown>>
  readonly corrected?: Readonly<Record<string, string | null>>
  /** Why it cannot be read. */
  readonly fault?: Detail
}

export interface Judged {
  /** The fields that the row says, or of a changed record those that change. */
  readonly values: Readonly<Record<string, unknown>>
  /** What is never shown, such as a password. */
  readonly secret?: Readonly<Record<string, unknown>> | undefined
  readonly before?: Readonly<Record<string, unknown>>
  /** The version that it was compared with. */
  readonly version?: number
  readonly faults: readonly Fault[]
}

export interface Fault {
  readonly field: string | null
  readonly code: string
  readonly message: string
  readonly value: string | null
}

/** Somebody else was faster: another instance, or a change of the import. */
export class Moved extends Error {}

export const importStore = (db: Database) => ({
  find: async (importId: string): Promise<Job | undefined> => {
    const job = isId(importId) ? await db.find(sql`${jobs} WHERE import_id = ${importId}`, toJob) : undefined
    return job?.state === 'removed' ? undefined : job
  },

  /** Newest first. */
  all: () =>
    db.read(raw(`${jobs.text} WHERE state NOT IN ('uploading', 'removed') ORDER BY import_id DESC`), toJob),

  /** Those that wait for work, oldest first. */
  active: () =>
    db.read(raw(`${jobs.text} WHERE state IN ('reading', 'applying', 'undoing') ORDER BY import_id`), toJob),

  insert: async ({ importId, resource, state, version, done, expiresAt, ...told }: Job) => {
    await db.run(sql`
      INSERT INTO import_job (import_id, resource, state, version, done, expires_at, job)
      VALUES (${key(importId)}, ${resource}, ${state}, ${version}, ${done}, ${expiresAt}, ${JSON.stringify(told)})`)
  },

  /** Replaces the version before. Throws `Moved` if that is not there any more. */
  replace: (job: Job) => db.write((tx) => replaceJob(tx, job)),

  addPiece: (importId: string, number: number, bytes: Uint8Array) =>
    db.run(
      sql`INSERT INTO import_piece (import_id, number, bytes) VALUES (${key(importId)}, ${number}, ${bytes})`,
    ),

  async *pieces(importId: string): AsyncGenerator<Uint8Array> {
    for (let number = 0; ; number++) {
      const found = await db.find(
        sql`SELECT bytes FROM import_piece WHERE import_id = ${importId} AND number = ${number}`,
        toBytes,
      )
      if (!found) return
      yield found
    }
  },

  rows: (importId: string, after: number, { limit, where = raw('') }: { limit: number; where?: Query }) =>
    db.read(
      sql`${rows} WHERE import_id = ${importId} AND line > ${after} ${where} ORDER BY line LIMIT ${limit}`,
      toStaged,
    ),

  row: (importId: string, line: number) =>
    db.find(sql`${rows} WHERE import_id = ${importId} AND line = ${line}`, toStaged),

  count: async (importId: string): Promise<Counts> => {
    const found = await db.scan(
      sql`SELECT outcome, count(*) AS total, count(applied) AS applied FROM import_row WHERE import_id = ${importId} GROUP BY outcome`,
      (row) => ({ outcome: row.outcome, total: Number(row.total), applied: Number(row.applied) }),
    )
    const sum = (part: (one: (typeof found)[number]) => number) =>
      found.reduce((all, one) => all + part(one), 0)
    const of = (outcome: Outcome) => sum((one) => (one.outcome === outcome ? one.total : 0))
    return {
      rows: sum(({ total }) => total),
      ...{ new: of('new'), changed: of('changed'), unchanged: of('unchanged'), refused: of('refused') },
      applied: sum(({ applied }) => applied),
    }
  },

  list: listing<ImportRow, RowFilter>(db, {
    make: (row) => shownRow(toStaged(row)),
    sortable: {},
    position: 'line',
    select: ({ importId = '', outcome }) => ({
      select: raw('SELECT line, cells, outcome, record_id, judged, applied'),
      from: raw('import_row'),
      count: raw('SELECT count(*) AS total FROM import_row'),
      where: sql`import_id = ${importId} ${outcome === undefined ? raw('') : whereOutcome(outcome)}`,
      position: 'line',
      isIndexed: true,
    }),
  }),

  /** Deletes some of what belongs to imports that have ended, and returns how much. */
  sweep: async (now: number): Promise<number> => {
    const end =
      db.engine === 'sqlite'
        ? sql`${now}`
        : sql`least(${now}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`
    const [finished] = await db.read(finishedFiles, toId)
    if (finished !== undefined) return db.run(somePieces(finished))
    const ended = await db.read(
      sql`SELECT import_id FROM import_job WHERE expires_at <= ${end} LIMIT 1`,
      toId,
    )
    const [importId] = ended
    if (importId === undefined) return 0
    const forgotten = (await forgetRows(db, importId)) + (await db.run(somePieces(importId)))
    return forgotten + (await db.run(deletion(importId)))
  },

  forgetRows: (importId: string) => forgetRows(db, importId),
})

export type ImportStore = ReturnType<typeof importStore>

interface RowFilter {
  readonly importId?: string
  readonly outcome?: string | undefined
}

const whereOutcome = (outcome: string) =>
  outcome === 'applied' ? raw('AND applied IS NOT NULL') : sql`AND outcome = ${outcome}`

export const replaceJob = async (
  tx: Transaction,
  { importId, resource: _, state, version, done, expiresAt, ...told }: Job,
) => {
  const replaced = await tx.run(sql`
    UPDATE import_job SET state = ${state}, version = ${version}, done = ${done}, expires_at = ${expiresAt},
      job = ${JSON.stringify(told)}
    WHERE import_id = ${key(importId)} AND version = ${version - 1}`)
  if (replaced === 0) throw new Moved()
}

/** Notes how far a stage has come. Throws `Moved` if somebody else has done it, or decided something meanwhile. */
export const advance = async (tx: Transaction, { importId, version, done }: Job, line: number) => {
  const advanced = await tx.run(sql`
    UPDATE import_job SET done = ${line}
    WHERE import_id = ${key(importId)} AND version = ${version} AND done = ${done}`)
  if (advanced === 0) throw new Moved()
}

export const insertRow = (tx: Transaction, importId: string, line: number, cells: Cells) =>
  tx.run(sql`
    INSERT INTO import_row (import_id, line, cells) VALUES (${key(importId)}, ${line}, ${JSON.stringify(cells)})
    ON CONFLICT DO NOTHING`)

export const updateRow = (tx: Transaction, importId: string, row: Staged) =>
  tx.run(sql`
    UPDATE import_row SET cells = ${JSON.stringify(row.cells)}, outcome = ${row.outcome}, record_id = ${row.recordId},
      judged = ${row.judged && JSON.stringify(row.judged)}, applied = ${row.applied}
    WHERE import_id = ${key(importId)} AND line = ${row.line}`)

/** Claims a value for a row, and returns the line of the row that has it already, if another has. */
export const claim = async (tx: Transaction, { importId, round }: Job, { name, value, line }: Claim) => {
  const claimed = await tx.run(sql`
    INSERT INTO import_key (import_id, round, name, value, line)
    VALUES (${key(importId)}, ${round}, ${name}, ${value}, ${line}) ON CONFLICT DO NOTHING`)
  if (claimed === 1) return undefined
  const [owner] = await tx.read(
    sql`
      SELECT line FROM import_key
      WHERE import_id = ${importId} AND round = ${round} AND name = ${name} AND value = ${value}`,
    (row) => Number(row.line),
  )
  return owner === line ? undefined : owner
}

export interface Claim {
  readonly name: string
  readonly value: string
  readonly line: number
}

export const disclaim = (tx: Transaction, importId: string, line: number) =>
  tx.run(sql`DELETE FROM import_key WHERE import_id = ${key(importId)} AND line = ${line}`)

/** Rows that one statement deletes: few enough not to hold anybody up. */
const batchSize = 500

const forgetRows = async (db: Database, importId: string) => {
  const some = (table: string, columns: string) => sql`
    DELETE FROM ${raw(table)} WHERE import_id = ${key(importId)} AND (${raw(columns)}) IN
      (SELECT ${raw(columns)} FROM ${raw(table)} WHERE import_id = ${importId} LIMIT ${batchSize})`
  return (await db.run(some('import_key', 'round, name, value'))) + (await db.run(some('import_row', 'line')))
}

const somePieces = (importId: string) => sql`
  DELETE FROM import_piece WHERE import_id = ${key(importId)} AND number IN
    (SELECT number FROM import_piece WHERE import_id = ${importId} LIMIT ${piecesAtOnce})`

const piecesAtOnce = 4

/** A file is not needed any more once its rows are records. */
const finishedFiles = raw(`
  SELECT import_id FROM import_job WHERE state IN ('done', 'undone')
    AND EXISTS (SELECT 1 FROM import_piece WHERE import_piece.import_id = import_job.import_id) LIMIT 1`)

const deletion = (importId: string) => sql`
  DELETE FROM import_job WHERE import_id = ${key(importId)}
    AND NOT EXISTS (SELECT 1 FROM import_row WHERE import_id = ${importId})
    AND NOT EXISTS (SELECT 1 FROM import_piece WHERE import_id = ${importId})`

const jobs = raw('SELECT import_id, resource, state, version, done, expires_at, job FROM import_job')
const rows = raw('SELECT line, cells, outcome, record_id, judged, applied FROM import_row')

const toId = (row: Row) => String(row.import_id)
const toBytes = (row: Row) => row.bytes as Uint8Array

const toJob = (row: Row): Job => ({
  importId: String(row.import_id),
  resource: String(row.resource),
  state: row.state as Job['state'],
  version: Number(row.version),
  done: Number(row.done),
  expiresAt: Number(row.expires_at),
  ...(JSON.parse(String(row.job)) as Told),
})

const toStaged = (row: Row): Staged => ({
  line: Number(row.line),
  cells: JSON.parse(String(row.cells)),
  outcome: row.outcome as Outcome | null,
  recordId: row.record_id === null ? null : String(row.record_id),
  judged: row.judged === null ? null : JSON.parse(String(row.judged)),
  applied: row.applied === null ? null : Number(row.applied),
})

export const shownRow = ({ line, outcome, recordId, judged, applied }: Staged): ImportRow => ({
  line,
  outcome,
  recordId,
  isApplied: applied !== null,
  record: Object.entries(judged?.values ?? {}).map(([field, value]) => ({
    field,
    value: textOf(value),
    before: textOf(judged?.before?.[field]),
  })),
  faults: judged?.faults ?? [],
  version: 1,
})

export const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value))
