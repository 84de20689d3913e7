import { conflict, Problem, referenceBroken, storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { ConnectionLost, isStale, ServerError } from './wire/errors.ts'

/** One of several statements sent together was refused, so none of them was done. */
export class StatementRefused extends Error {
  readonly index: number

  constructor(index: number, cause: unknown) {
    super('a statement was refused', { cause })
    this.index = index
  }
}

/** The SQLSTATE of the server's error, or the code of the connection error. */
export const codeOf = (error: unknown): string | undefined => {
  if (error instanceof Problem || error instanceof StatementRefused) return codeOf(error.cause)
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Another transaction interfered: the same work may succeed if it runs again. */
export const isInterference = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error) ?? '') || isStale(error instanceof Problem ? error.cause : error)

/** The server, the database or the role has no more connections. */
export const isScarce = (error: unknown): boolean => codeOf(error) === '53300'

/** The code of an error about a primary whose place another has taken. */
export const formerPrimary = 'FORMER_PRIMARY'

/** The transaction was certainly not done. After a storage failure that is unknown: it may have been done. */
export const isHarmless = (error: unknown): boolean => {
  const code = codeOf(error)
  return isUnavailable(error) ? undone.test(code ?? '') : code !== undefined
}

/** The storage cannot do it now, whoever asks. */
export const isUnavailable = (error: unknown): boolean => {
  const refused = refusal(error)
  return refused instanceof Problem && refused.kind === 'storageUnavailable'
}

/** The refusal that the caller gets. An error that is not from the storage is returned unchanged. */
export const refusal = (error: unknown): unknown => {
  if (error instanceof Problem) return error
  if (error instanceof StatementRefused) return refusal(error.cause)
  if (!(error instanceof ServerError)) return isLoss(error) ? storageUnavailable(error) : error
  if (error.code === foreignKeyViolation) return referenceBroken(error)
  if (conflicts.test(error.code) || isLockOfRecord(error)) return conflict(error)
  if (unwritable.test(error.code)) return new Problem('bodyUnreadable', { cause: error })
  return undone.test(error.code) || failed.test(error.code) ? storageUnavailable(error) : error
}

/** As `refusal`, but also reports a storage failure to the observer. */
export const noted = (observer: Observer, error: unknown): unknown => {
  const refused = refusal(error)
  if (isUnavailable(refused)) observer.storageFailed?.(codeOf(refused) ?? 'connection')
  return refused
}

const foreignKeyViolation = '23503'

/** Interference, or a duplicate key. */
const conflicts = /^(40001|40P01|23505)$/

/** A wait for a lock timed out. The server names a record only for a record lock; a locked table is not a conflict between requests. */
const isLockOfRecord = ({ code, hasContext }: ServerError) => code === '55P03' && hasContext

/** Text that the server cannot store, such as a NUL. */
const unwritable = /^(22021|22P05)$/

/** The storage cannot do it now, and nothing was begun: no permission, no such table, schema or database, or a locked table. */
const undone = /^(3D000|3F000|42501|42P01|55P03)$/

/**
 * Failures of the connection, its authorization, a transaction ended from outside, resources, a standby, an operator's
 * intervention, the machine, corrupt data (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const failed = /^(08|28|25006|25P02|25P03|53|57|58|XX)/

/** The connection was lost, or never established. */
const isLoss = (error: unknown) =>
  error instanceof ConnectionLost || (error instanceof Error && 'syscall' in error)
