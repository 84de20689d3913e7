import { isDeepStrictEqual } from 'node:util'
import { endOfTurn } from '#core/event-loop.ts'
import { overloaded, Problem } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importer, ImportTarget } from '#resources/import-target.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { passwordField } from './interpreting.ts'
import { judgeAgain } from './judging.ts'
import { newPassword } from './passwords.ts'
import { addFaultsOf, faultAdder, type JudgeParts } from './row-faults.ts'
import type { Fault, Judgement, StagedRow } from './rows.ts'
import { advance, type ImportStore, type Job } from './store.ts'

export interface ApplyParts {
  readonly db: Database
  readonly store: ImportStore
  /** The caller who started the work, unless it has lost the right. */
  permitted(job: Job): Promise<Principal | undefined>
}

/** Rows of one transaction: few enough that no other write waits long. On PostgreSQL only writes of the same records wait. */
const appliedAtOnce = { sqlite: 12, postgres: 24 }

/** Rows whose passwords are hashed at once: few, so that a sign-in does not wait long. */
const preparedAtOnce = 3

/** Applies the next rows. Stores them and the progress in one transaction. */
export const applyRows = async (parts: ApplyParts, job: Job, judging: JudgeParts) => {
  const { db, store } = parts
  const where = raw(`AND outcome IN ('new', 'changed', 'deleted') AND applied IS NULL`)
  const rows = await store.rows(job.importId, job.done, { limit: appliedAtOnce[db.engine], where })
  if (rows.length === 0) {
    const left = await store.rows(job.importId, 0, { limit: 1, where })
    return store.decide(job, { state: left.length > 0 ? 'ready' : 'done', done: 0 })
  }
  const places = slots({ places: preparedAtOnce, maxWaiting: rows.length, refusal: overloaded })
  const preparing = rows.map((row) => places.use(() => prepareRow(judging.records, job, row)))
  const prepared = new Map(await Promise.all(preparing))
  await inUnit(parts, job, rows, (row, by) => applyRow({ db, job, judging, by, prepared }, row))
}

/** Undoes the last row first: a record of a later row may refer to one of an earlier row. */
export const undoRows = async (parts: ApplyParts, job: Job, judging: JudgeParts) => {
  const { db, store } = parts
  const rows = await store.appliedBefore(
    job.importId,
    job.done || Number.MAX_SAFE_INTEGER,
    appliedAtOnce[db.engine],
  )
  if (rows.length === 0) return store.decide(job, { state: 'undone', done: 0 })
  await inUnit(parts, job, rows, (row, by) => undoRow({ db, job, judging, by, prepared: new Map() }, row))
}

/** The caller who started the work has lost the right to do it. */
export class RightWithdrawn extends Error {}

type Work = (row: StagedRow, by: Importer) => Promise<StagedRow>

const inUnit = ({ db, store, permitted }: ApplyParts, job: Job, rows: readonly StagedRow[], work: Work) =>
  db.unit(async (unit) => {
    unit.beforeFirstWrite((tx) => advance(tx, job, rows.at(-1)?.line ?? 0))
    const principal = await permitted(job)
    if (!principal) throw new RightWithdrawn()
    const { by, track } = job.by
    const done: StagedRow[] = []
    for (const row of rows) {
      done.push(await work(row, { principal, actor: { by, track, pendingChanges: [] } }))
      await endOfTurn()
    }
    await db.write((tx) => Promise.all(done.map((row) => store.updateRow(tx, job.importId, row))))
  })

interface ApplyContext {
  readonly db: Database
  readonly job: Job
  readonly judging: JudgeParts
  readonly by: Importer
  readonly prepared: ReadonlyMap<number, Prepared>
}

type Prepared =
  | { readonly made: unknown; readonly generated: Judgement['secret'] }
  | { readonly refused: Problem }

const prepareRow = async (records: ImportTarget, job: Job, row: StagedRow): Promise<[number, Prepared]> => {
  const { line, judged } = row
  const generated = lacksPassword(records, job, row) ? { [passwordField]: newPassword() } : undefined
  try {
    const made = await records.prepare?.({ ...judged?.values, ...judged?.secret, ...generated })
    return [line, { made, generated }]
  } catch (error) {
    if (!isRefusal(error)) throw error
    return [line, { refused: error }]
  }
}

/** Whether the row creates a record that gets a generated password. */
const lacksPassword = ({ passwordRows }: ImportTarget, { options }: Job, { recordId, judged }: StagedRow) =>
  passwordRows !== undefined &&
  options.passwords === 'generate' &&
  recordId === null &&
  judged?.secret?.[passwordField] == null

/** Writes a row. If its record changed meanwhile, the row is judged again, and written only if the result is the same. */
const applyRow = async (context: ApplyContext, row: StagedRow, isRetry = false): Promise<StagedRow> => {
  const { db, job, judging } = context
  try {
    return await writeRow(context, row)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const judged = await db.write(await judgeAgain(judging, job, row))
    if (!isDeepStrictEqual(plannedChange(judged), plannedChange(row))) return judged
    if (judged.judged?.version !== row.judged?.version && !isRetry) return applyRow(context, judged, true)
    return refuseRow(context, judged, error)
  }
}

/** The planned change of a row, without the version of its record. */
const plannedChange = ({ outcome, recordId, judged }: StagedRow) => [
  outcome,
  recordId,
  judged?.values,
  judged?.before,
]

/**
 * Writes a row through the service of its resource, with one write that can fail without failing the batch. The cells and
 * secrets of the row are dropped, except a password that was generated for it.
 */
const writeRow = async (
  { judging: { records }, by, prepared }: ApplyContext,
  row: StagedRow,
): Promise<StagedRow> => {
  const { values = {}, version } = row.judged ?? {}
  const done = { ...withSecret(row, undefined), cells: { cells: [] } }
  if (row.recordId !== null && version !== undefined) {
    if (row.outcome === 'deleted') {
      await records.remove(row.recordId, { ...by, expected: version })
      return { ...done, applied: version + 1 }
    }
    const { version: applied } = await records.update(row.recordId, values, { ...by, expected: version })
    return { ...done, applied }
  }
  const ready = prepared.get(row.line)
  if (ready && 'refused' in ready) throw ready.refused
  const record = await records.create(values, { ...by, prepared: ready?.made })
  const recordId = String((record as object as Readonly<Record<string, unknown>>)[records.id])
  return { ...withSecret(done, ready?.generated), recordId, applied: record.version }
}

const withSecret = (row: StagedRow, secret: Judgement['secret']): StagedRow => ({
  ...row,
  judged: row.judged && { ...row.judged, secret },
})

const undoRow = async (context: ApplyContext, row: StagedRow): Promise<StagedRow> => {
  try {
    await revertRecord(context, row)
    return { ...withSecret(row, undefined), applied: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const isChange = error.kind === 'preconditionFailed' || error.kind === 'notFound'
    return refuseRow(context, row, isChange ? changedSince : error)
  }
}

const revertRecord = async (
  { judging: { records }, by }: ApplyContext,
  { recordId, outcome, judged, applied }: StagedRow,
) => {
  if (recordId === null || applied === null) return
  if (outcome === 'deleted') return void (await records.restore(recordId, by))
  const asked = { ...by, expected: applied }
  await (judged?.before ? records.update(recordId, judged.before, asked) : records.remove(recordId, asked))
}

const changedSince = new Problem('business', { messages: [{ code: 'ChangedSince' }] })

const refuseRow = ({ job, judging }: ApplyContext, row: StagedRow, error: unknown): StagedRow => {
  const faults: Fault[] = []
  const given = row.judged?.values ?? {}
  addFaultsOf(error, faultAdder(judging, job, { given, faults }))
  const outcome = row.applied === null ? 'refused' : row.outcome
  return { ...row, outcome, judged: { values: {}, ...row.judged, faults } }
}

/** Whether the record is refused. Failures of the database or of the service are not refusals. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && !['system', 'storageUnavailable', 'overloaded'].includes(error.kind)
