import { type Detail, notFound } from '#core/problem.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { join, key, type Query, raw, sql } from '#sql/query.ts'
import type { Encryption } from './encryption.ts'
import { textOf } from './interpreting.ts'
import { type Counts, type ImportRow, type Outcome, outcomes } from './schema.ts'
import type { Job } from './store.ts'

export interface StagedRow {
  readonly line: number
  readonly cells: Cells
  readonly outcome: Outcome | null
  readonly recordId: string | null
  readonly result: CheckResult | null
  /** The version that the record got when the row was applied. */
  readonly appliedVersion: number | null
}

export interface Cells {
  readonly cells: readonly (string | null)[] | Readonly<Record<string, unknown>>
  readonly corrected?: Readonly<Record<string, string | null>>
  /** The fault of a row that cannot be read. */
  readonly fault?: Detail
}

export interface CheckResult {
  /** The fields of a new record, or the changed fields of an existing one. */
  readonly values: Readonly<Record<string, unknown>>
  /** Values that are never shown, such as a password. */
  readonly secret?: Readonly<Record<string, unknown>> | undefined
  readonly before?: Readonly<Record<string, unknown>>
  /** The version of the record with which the row was compared. */
  readonly version?: number
  readonly faults: readonly Fault[]
}

export interface Fault {
  readonly field: string | null
  readonly code: string
  readonly message: string
  readonly value: string | null
  readonly allowed?: readonly string[]
  readonly byRule?: true
}

/** Stores the rows of imports. Their cells and secrets are encrypted. */
export const rowStore = (db: Database, { sealJson, openJson }: Encryption) => {
  const encryptResult = ({ secret, ...result }: CheckResult) =>
    JSON.stringify({ ...result, ...(secret && { secret: sealJson(secret) }) })

  const decryptResult = (text: string): CheckResult => {
    const { secret, ...result } = JSON.parse(text)
    return { ...result, ...(secret && { secret: openJson(secret) }) }
  }

  const toStagedRow = (row: Row): StagedRow => ({
    line: Number(row.line),
    cells: openJson(String(row.cells)) as Cells,
    outcome: row.outcome as Outcome | null,
    recordId: row.record_id === null ? null : String(row.record_id),
    result: row.judged === null ? null : decryptResult(String(row.judged)),
    appliedVersion: row.applied === null ? null : Number(row.applied),
  })

  /** Finds the lines in the index of outcomes, because few of many long rows may match. */
  const applicableRows = (importId: string, { where, order, limit }: RowSelection) => {
    const linesOf = (outcome: Outcome) =>
      sql`SELECT line FROM import_row WHERE import_id = ${importId} AND outcome = ${outcome} AND ${where}`
    const lines = join((['new', 'changed', 'deleted'] as const).map(linesOf), ' UNION ALL ')
    return db.read(
      sql`
        ${rows} WHERE import_id = ${importId} AND line IN (${lines} ORDER BY ${order} LIMIT ${limit})
        ORDER BY ${order}`,
      toStagedRow,
    )
  }

  // Without INDEXED BY, SQLite would read every row of the import.
  const rowsByOutcome = raw(
    db.engine === 'sqlite' ? 'import_row INDEXED BY import_row_outcome' : 'import_row',
  )

  return {
    insertRow: (tx: Transaction, importId: string, { line, cells }: Pick<StagedRow, 'line' | 'cells'>) =>
      tx.run(sql`
      INSERT INTO import_row (import_id, line, cells) VALUES (${key(importId)}, ${line}, ${sealJson(cells)})
      ON CONFLICT DO NOTHING`),

    updateRow: (tx: Transaction, importId: string, row: StagedRow) =>
      tx.run(sql`
      UPDATE import_row SET cells = ${sealJson(row.cells)}, outcome = ${row.outcome}, record_id = ${row.recordId},
        judged = ${row.result && encryptResult(row.result)}, applied = ${row.appliedVersion}
      WHERE import_id = ${key(importId)} AND line = ${row.line}`),

    rows: (importId: string, after: number, limit: number) =>
      db.read(
        sql`${rows} WHERE import_id = ${importId} AND line > ${after} ORDER BY line LIMIT ${limit}`,
        toStagedRow,
      ),

    /** The next rows to apply. */
    unapplied: (importId: string, after: number, limit: number) =>
      applicableRows(importId, {
        where: sql`applied IS NULL AND line > ${after}`,
        order: raw('line'),
        limit,
      }),

    /** The next rows to undo, from the last one. */
    appliedBefore: (importId: string, before: number, limit: number) =>
      applicableRows(importId, {
        where: sql`applied IS NOT NULL AND line < ${before}`,
        order: raw('line DESC'),
        limit,
      }),

    async row(importId: string, line: string): Promise<StagedRow> {
      const where = sql`import_id = ${importId} AND line = ${Number(line)}`
      const isNumber = /^\d{1,15}$/.test(line)
      const row = isNumber ? await db.find(sql`${rows} WHERE ${where}`, toStagedRow) : undefined
      if (!row) throw notFound()
      return row
    },

    count: async (importId: string): Promise<Counts> => {
      const [found] = await db.scan(sql`${counts} WHERE import_id = ${importId}`, (row) =>
        Object.entries(row).map(([name, count]) => [name, Number(count)] as const),
      )
      return Object.fromEntries(found ?? []) as Counts
    },

    /** True if a row was refused because of a fault whose JSON contains this text. */
    hasFault: async (importId: string, json: string) => {
      const faulty = sql`import_id = ${importId} AND outcome = 'refused' AND judged LIKE ${`%${json}%`}`
      const found = await db.scan(
        sql`SELECT 1 AS one FROM ${rowsByOutcome} WHERE ${faulty} LIMIT 1`,
        () => true,
      )
      return found.length > 0
    },

    list: listing<ImportRow, RowFilter>(db, {
      toItem: (row) => toImportRow(toStagedRow(row)),
      sortable: { line: { column: 'line', nullAs: 0 } },
      position: 'line',
      select: ({ importId = '', outcome }) => ({
        select: raw('SELECT line, cells, outcome, record_id, judged, applied'),
        from: outcome === undefined || outcome === 'applied' ? raw('import_row') : rowsByOutcome,
        count: raw('SELECT count(*) AS total FROM import_row'),
        where: sql`import_id = ${importId} ${outcome === undefined ? raw('') : whereOutcome(outcome)}`,
        position: 'line',
        isIndexed: outcome !== 'applied',
      }),
    }),
  }
}

interface RowSelection {
  readonly where: Query
  readonly order: Query
  readonly limit: number
}

export interface RowFilter {
  readonly importId?: string
  readonly outcome?: string | undefined
}

const whereOutcome = (outcome: string) =>
  outcome === 'applied' ? raw('AND applied IS NOT NULL') : sql`AND outcome = ${outcome}`

/** Claims a unique value for a row. If an earlier row has claimed it, returns the line of that row. */
export const claimOrFindLine = async (
  tx: Transaction,
  { importId, round }: Job,
  { name, value, line }: UniqueClaim,
) => {
  const claimed = await tx.run(sql`
    INSERT INTO import_key (import_id, round, name, value, line)
    VALUES (${key(importId)}, ${round}, ${name}, ${value}, ${line}) ON CONFLICT DO NOTHING`)
  if (claimed === 1) return undefined
  const claim = sql`
    SELECT line FROM import_key
    WHERE import_id = ${importId} AND round = ${round} AND name = ${name} AND value = ${value}`
  const [owner] = await tx.read(claim, (row) => Number(row.line))
  return owner === line ? undefined : owner
}

export interface UniqueClaim {
  readonly name: string
  readonly value: string
  readonly line: number
}

export const dropClaims = (tx: Transaction, importId: string, line: number) =>
  tx.run(sql`DELETE FROM import_key WHERE import_id = ${key(importId)} AND line = ${line}`)

/** Deletes the claims that these lines made when they were checked earlier. */
export const dropEarlierClaims = (tx: Transaction, { importId, round, done }: Job, lastLine: number) =>
  tx.run(sql`
    DELETE FROM import_key
    WHERE import_id = ${key(importId)} AND line > ${done} AND line <= ${lastLine} AND round < ${round}`)

const rows = raw('SELECT line, cells, outcome, record_id, judged, applied FROM import_row')

const countsOf = outcomes.map((outcome) => `count(*) FILTER (WHERE outcome = '${outcome}') AS "${outcome}"`)
const counts = raw(
  `SELECT count(*) AS "rows", ${countsOf.join(', ')}, count(applied) AS applied FROM import_row`,
)

export const toImportRow = ({ line, outcome, recordId, result, appliedVersion }: StagedRow): ImportRow => ({
  line,
  outcome,
  recordId,
  isApplied: appliedVersion !== null,
  record: Object.keys({ ...result?.values, ...result?.before }).map((field) => ({
    field,
    value: textOf(result?.values[field]),
    before: textOf(result?.before?.[field]),
  })),
  faults: (result?.faults ?? []).map((fault) => ({ allowed: null, byRule: false, ...fault })),
  version: 1,
})
