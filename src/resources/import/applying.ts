import { isDeepStrictEqual } from 'node:util'
import { overloaded, Problem } from '#core/problem.ts'
import { slots } from '#core/slots.ts'
import { endOfTurn } from '#core/turn.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Importer, Importing } from '#resources/importing.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { passwordField } from './interpreting.ts'
import { judgeAgain } from './judging.ts'
import { newPassword } from './passwords.ts'
import { type JudgeParts, refuseAll, refusing } from './refusals.ts'
import type { Fault, Judged, Staged } from './rows.ts'
import { advance, type ImportStore, type Job, type JobOwner } from './store.ts'

export interface ApplyParts {
  readonly db: Database
  readonly store: ImportStore
  /** The caller who started the work, unless it has lost the right. */
  standing(by: JobOwner, resource: string): Promise<Principal | undefined>
}

/** Rows of one transaction: few enough that no other write waits long. */
const appliedAtOnce = 12

/** Rows whose passwords are hashed at once: few, so that a sign-in does not wait long. */
const preparedAtOnce = 3

/** Applies the next rows. Stores them and the progress in one transaction. */
export const applyRows = async (parts: ApplyParts, job: Job, judging: JudgeParts) => {
  const { db, store } = parts
  const where = raw(`AND outcome IN ('new', 'changed') AND applied IS NULL`)
  const rows = await store.rows(job.importId, job.done, { limit: appliedAtOnce, where })
  if (rows.length === 0) {
    const left = await store.rows(job.importId, 0, { limit: 1, where })
    return decided(store, job, left.length > 0 ? 'ready' : 'done')
  }
  const places = slots({ places: preparedAtOnce, maxWaiting: rows.length, refusal: overloaded })
  const preparing = rows.map((row) => places.use(() => preparedFor(judging.importing, job, row)))
  const prepared = new Map(await Promise.all(preparing))
  await inUnit(parts, job, rows, (row, by) => applied({ db, job, judging, by, prepared }, row))
}

/** Undoes the next applied rows. */
export const undoRows = async (parts: ApplyParts, job: Job, judging: JudgeParts) => {
  const { db, store } = parts
  const where = raw('AND applied IS NOT NULL')
  const rows = await store.rows(job.importId, job.done, { limit: appliedAtOnce, where })
  if (rows.length === 0) return decided(store, job, 'undone')
  await inUnit(parts, job, rows, (row, by) => undone({ db, job, judging, by, prepared: new Map() }, row))
}

const decided = (store: ImportStore, job: Job, state: Job['state']) =>
  store.replace({ ...job, state, done: 0, version: job.version + 1 })

/** The caller who started the work has lost the right to do it. */
export class RightWithdrawn extends Error {}

type Work = (row: Staged, by: Importer) => Promise<Staged>

const inUnit = ({ db, store, standing }: ApplyParts, job: Job, rows: readonly Staged[], work: Work) =>
  db.unit(async (unit) => {
    unit.before((tx) => advance(tx, job, rows.at(-1)?.line ?? 0))
    const principal = await standing(job.by, job.resource)
    if (!principal) throw new RightWithdrawn()
    const { by, track } = job.by
    const done: Staged[] = []
    for (const row of rows) {
      done.push(await work(row, { principal, actor: { by, track, made: [] } }))
      await endOfTurn()
    }
    await db.write((tx) => Promise.all(done.map((row) => store.updateRow(tx, job.importId, row))))
  })

/** The context for applying one row. */
interface ApplyContext {
  readonly db: Database
  readonly job: Job
  readonly judging: JudgeParts
  readonly by: Importer
  readonly prepared: ReadonlyMap<number, Prepared>
}

type Prepared =
  | { readonly made: unknown; readonly generated: Judged['secret'] }
  | { readonly refused: Problem }

const preparedFor = async (importing: Importing, job: Job, row: Staged): Promise<[number, Prepared]> => {
  const { line, judged } = row
  const generated = lacksPassword(importing, job, row) ? { [passwordField]: newPassword() } : undefined
  try {
    const made = await importing.prepare?.({ ...judged?.values, ...judged?.secret, ...generated })
    return [line, { made, generated }]
  } catch (error) {
    if (!isRefusal(error)) throw error
    return [line, { refused: error }]
  }
}

/** Whether the row makes a record that gets a generated password. */
const lacksPassword = ({ passwordRows }: Importing, { options }: Job, { recordId, judged }: Staged) =>
  passwordRows !== undefined &&
  options.passwords === 'generate' &&
  recordId === null &&
  judged?.secret?.[passwordField] == null

/** Writes a row. If its record changed meanwhile, the row is judged again, and written only if the result is the same. */
const applied = async (at: ApplyContext, row: Staged, isRetry = false): Promise<Staged> => {
  const { db, job, judging } = at
  try {
    return await write(at, row)
  } catch (error) {
    if (!isRefusal(error)) throw error
    const judged = await db.write(await judgeAgain(judging, job, row))
    if (!isDeepStrictEqual(plannedChange(judged), plannedChange(row))) return judged
    if (judged.judged?.version !== row.judged?.version && !isRetry) return applied(at, judged, true)
    return refused(at, judged, error)
  }
}

/** The planned change of a row, without the version of its record. */
const plannedChange = ({ outcome, recordId, judged }: Staged) => [
  outcome,
  recordId,
  judged?.values,
  judged?.before,
]

/**
 * Writes a row through the service of its resource, with one write that can fail without failing the batch. The cells and
 * secrets of the row are dropped, except a password that was generated for it.
 */
const write = async (
  { judging: { importing }, by, prepared }: ApplyContext,
  row: Staged,
): Promise<Staged> => {
  const { values = {}, version } = row.judged ?? {}
  const done = { ...withSecret(row, undefined), cells: { cells: [] } }
  if (row.recordId !== null && version !== undefined) {
    const { version: applied } = await importing.update(row.recordId, values, { ...by, expected: version })
    return { ...done, applied }
  }
  const ready = prepared.get(row.line)
  if (ready && 'refused' in ready) throw ready.refused
  const record = await importing.create(values, { ...by, prepared: ready?.made })
  const recordId = String((record as object as Readonly<Record<string, unknown>>)[importing.id])
  return { ...withSecret(done, ready?.generated), recordId, applied: record.version }
}

const withSecret = (row: Staged, secret: Judged['secret']): Staged => ({
  ...row,
  judged: row.judged && { ...row.judged, secret },
})

const undone = async (at: ApplyContext, row: Staged): Promise<Staged> => {
  try {
    await takeBack(at, row)
    return { ...withSecret(row, undefined), applied: null }
  } catch (error) {
    if (!isRefusal(error)) throw error
    const isChange = error.kind === 'preconditionFailed' || error.kind === 'notFound'
    return refused(at, row, isChange ? changedSince : error)
  }
}

const takeBack = async (
  { judging: { importing }, by }: ApplyContext,
  { recordId, judged, applied }: Staged,
) => {
  if (recordId === null || applied === null) return
  const asked = { ...by, expected: applied }
  await (judged?.before
    ? importing.update(recordId, judged.before, asked)
    : importing.remove(recordId, asked))
}

const changedSince = new Problem('business', { messages: [{ code: 'ChangedSince' }] })

const refused = ({ job, judging }: ApplyContext, row: Staged, error: unknown): Staged => {
  const faults: Fault[] = []
  const given = row.judged?.values ?? {}
  refuseAll(error, refusing(judging, job, { given, faults }))
  const outcome = row.applied === null ? 'refused' : row.outcome
  return { ...row, outcome, judged: { values: {}, ...row.judged, faults } }
}

/** Whether the record is refused. Failures of the database or of the service are not refusals. */
const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && !['system', 'storageUnavailable', 'overloaded'].includes(error.kind)
