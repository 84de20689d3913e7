import { isDeepStrictEqual } from 'node:util'
import { endOfTurn } from '#core/event-loop.ts'
import { overloaded, Problem } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importer, ImportTarget } from '#resources/import-target.ts'
import type { Database, UnitOptions } from '#sql/database.ts'
import { checkAgain } from './checking.ts'
import { passwordField } from './interpreting.ts'
import { newPassword } from './passwords.ts'
import { addFaultsOf, type CheckContext, faultAdder } from './row-faults.ts'
import type { CheckResult, Fault, StagedRow } from './rows.ts'
import { type ImportStore, type Job, saveProgress } from './store.ts'

export interface ApplyContext {
  readonly db: Database
  readonly store: ImportStore
  /** The caller who started the work. Undefined if the caller may no longer import. */
  permittedCaller(job: Job): Promise<Principal | undefined>
}

/** The number of rows per transaction. Other writes wait for it: on SQLite all, on PostgreSQL those of the same records. */
const rowsPerTransaction = { sqlite: 12, postgres: 24 }

/** Few passwords are hashed in parallel, so that sign-ins do not wait long. */
const maxParallelPreparations = 3

/** Applies the next rows. The changed records, the rows and the progress are stored in one transaction. */
export const applyRows = async (context: ApplyContext, job: Job, importable: CheckContext) => {
  const { db, store } = context
  const rows = await store.unapplied(job.importId, job.done, rowsPerTransaction[db.engine])
  if (rows.length === 0) {
    const remaining = await store.unapplied(job.importId, 0, 1)
    return store.save(job, { state: remaining.length > 0 ? 'ready' : 'done', done: 0 })
  }
  const places = maxParallelPreparations
  const preparationSlots = slots({ places, maxWaiting: rows.length, refusal: overloaded })
  const preparing = rows.map((row) => preparationSlots.use(() => prepareRow(importable.records, job, row)))
  const rowContext = { db, job, importable, prepared: new Map(await Promise.all(preparing)) }
  if (await createTogether(context, rowContext, rows)) return
  const work: RowWork = (row, importer) => applyRow({ ...rowContext, importer }, row)
  await runInTransaction(context, job, rows, { work })
}

/**
 * Creates the records of all rows or, if a row is refused, of none. Returns true if it did. On PostgreSQL this takes two thirds of the
 * time of creating them one by one.
 */
const createTogether = async (
  context: ApplyContext,
  rowContext: Omit<RowContext, 'importer'>,
  rows: readonly StagedRow[],
): Promise<boolean> => {
  if (!rowContext.importable.records.hasIndependentCreations) return false
  if (rows.some(({ outcome }) => outcome !== 'new')) return false
  const work: RowWork = (row, importer) => writeRow({ ...rowContext, importer }, row)
  // No failure is hidden: after any, the rows are applied one by one, which names the refused row or fails in the same way.
  return runInTransaction(context, rowContext.job, rows, { work, isAllOrNothing: true }).then(
    () => true,
    () => false,
  )
}

/** Undoes the last rows first, because the record of a later row may refer to the record of an earlier row. */
export const undoRows = async (context: ApplyContext, job: Job, importable: CheckContext) => {
  const { db, store } = context
  const before = job.done || Number.MAX_SAFE_INTEGER
  const rows = await store.appliedBefore(job.importId, before, rowsPerTransaction[db.engine])
  if (rows.length === 0) return store.save(job, { state: 'undone', done: 0 })
  const rowContext = { db, job, importable, prepared: new Map() }
  const work: RowWork = (row, importer) => undoRow({ ...rowContext, importer }, row)
  await runInTransaction(context, job, rows, { work })
}

/** Thrown if the caller who started the work may no longer import. */
export class RightWithdrawn extends Error {}

type RowWork = (row: StagedRow, importer: Importer) => Promise<StagedRow>

const runInTransaction = (
  { db, store, permittedCaller }: ApplyContext,
  job: Job,
  rows: readonly StagedRow[],
  { work, ...options }: { readonly work: RowWork } & UnitOptions,
) =>
  db.unit(async (unit) => {
    unit.beforeFirstWrite((tx) => saveProgress(tx, job, rows.at(-1)?.line ?? 0))
    const principal = await permittedCaller(job)
    if (!principal) throw new RightWithdrawn()
    const { by: author, track } = job.by
    const results: Promise<StagedRow>[] = []
    for (const row of rows) {
      const result = work(row, { principal, actor: { author, track, pendingChanges: [] } })
      results.push(result)
      if (options.isAllOrNothing) result.catch(() => undefined)
      else await result
      await endOfTurn()
    }
    // Waits for all rows even if one fails, because none may write after the unit has ended.
    await Promise.allSettled(results)
    const applied = await Promise.all(results)
    await db.write((tx) => Promise.all(applied.map((row) => store.updateRow(tx, job.importId, row))))
  }, options)

interface RowContext {
  readonly db: Database
  readonly job: Job
  readonly importable: CheckContext
  readonly importer: Importer
  readonly prepared: ReadonlyMap<number, PreparedRow>
}

type PreparedRow =
  | { readonly value: unknown; readonly generated: CheckResult['secret'] }
  | { readonly refused: Problem }

const prepareRow = async (
  records: ImportTarget,
  job: Job,
  row: StagedRow,
): Promise<[number, PreparedRow]> => {
  const { line, result } = row
  const generated = needsGeneratedPassword(records, job, row) ? { [passwordField]: newPassword() } : undefined
  try {
    const value = await records.prepare?.({ ...result?.values, ...result?.secret, ...generated })
    return [line, { value, generated }]
  } catch (error) {
    if (!isRefusal(error)) throw error
    return [line, { refused: error }]
  }
}

const needsGeneratedPassword = (
  { passwordRows }: ImportTarget,
  { options }: Job,
  { recordId, result }: StagedRow,
) =>
  passwordRows !== undefined &&
  options.passwords === 'generate' &&
  recordId === null &&
  result?.secret?.[passwordField] == null

/** Writes a row. If its record was changed meanwhile, checks the row again, and writes it only if the planned change is the same. */
const applyRow = async (context: RowContext, row: StagedRow, isRetry = false): Promise<StagedRow> => {
  const { db, job, importable } = context
  try {
    return await writeRow(context, row)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const checked = await db.write(await checkAgain(importable, job, row))
    if (!isDeepStrictEqual(plannedChange(checked), plannedChange(row))) return checked
    if (checked.result?.version !== row.result?.version && !isRetry) return applyRow(context, checked, true)
    return refuseRow(context, checked, error)
  }
}

/** The change that a row would make, without the version of its record. */
const plannedChange = ({ outcome, recordId, result }: StagedRow) =>
  [outcome, recordId, result?.values, result?.before] as const

/**
 * Writes a row through the service of its resource. A refusal does not fail the batch. Removes the cells and secrets from the row,
 * except a generated password.
 */
const writeRow = async (
  { importable: { records }, importer, prepared }: RowContext,
  row: StagedRow,
): Promise<StagedRow> => {
  const { values = {}, version } = row.result ?? {}
  const appliedRow = { ...replaceSecret(row, undefined), cells: { cells: [] } }
  if (row.recordId !== null && version !== undefined) {
    if (row.outcome === 'deleted') {
      await records.remove(row.recordId, { ...importer, expectedVersion: version })
      return { ...appliedRow, appliedVersion: version + 1 }
    }
    const updated = await records.update(row.recordId, values, { ...importer, expectedVersion: version })
    return { ...appliedRow, appliedVersion: updated.version }
  }
  const preparedRow = prepared.get(row.line)
  if (preparedRow && 'refused' in preparedRow) throw preparedRow.refused
  const record = await records.create(values, { ...importer, prepared: preparedRow?.value })
  const recordId = String((record as object as Readonly<Record<string, unknown>>)[records.id])
  return { ...replaceSecret(appliedRow, preparedRow?.generated), recordId, appliedVersion: record.version }
}

const replaceSecret = (row: StagedRow, secret: CheckResult['secret']): StagedRow => ({
  ...row,
  result: row.result && { ...row.result, secret },
})

const undoRow = async (context: RowContext, row: StagedRow): Promise<StagedRow> => {
  try {
    await context.db.unit(async () => {
      await revertRecord(context, row)
      const { pendingChanges } = context.importer.actor
      // A cascade would delete records that others made since.
      if (pendingChanges.some(({ subject }) => subject !== row.recordId)) throw changedSince
    })
    return { ...replaceSecret(row, undefined), appliedVersion: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const wasChanged = error.kind === 'preconditionFailed' || error.kind === 'notFound'
    return refuseRow(context, row, wasChanged ? changedSince : error)
  }
}

const revertRecord = async (
  { importable: { records }, importer }: RowContext,
  { recordId, outcome, result, appliedVersion }: StagedRow,
) => {
  if (recordId === null || appliedVersion === null) return
  if (outcome === 'deleted') return void (await records.restore(recordId, importer))
  const expecting = { ...importer, expectedVersion: appliedVersion }
  await (result?.before
    ? records.update(recordId, result.before, expecting)
    : records.remove(recordId, expecting))
}

const changedSince = new Problem('business', { messages: [{ code: 'ChangedSince' }] })

const refuseRow = ({ job, importable }: RowContext, row: StagedRow, error: unknown): StagedRow => {
  const faults: Fault[] = []
  const fileValues = row.result?.values ?? {}
  addFaultsOf(error, faultAdder(importable, job, { fileValues, faults }))
  const outcome = row.appliedVersion === null ? 'refused' : row.outcome
  return { ...row, outcome, result: { values: {}, ...row.result, faults } }
}

/** A failure of the database or of the service is no refusal of the row. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && !['system', 'storageUnavailable', 'overloaded'].includes(error.kind)
