import { conflict, Problem, storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { ConnectionLost, isStale, ServerError } from './wire/errors.ts'

/** Of several statements that went out together this one was refused, so nothing was done. */
export class StatementRefused extends Error {
  readonly index: number

  constructor(index: number, cause: unknown) {
    super('a statement was refused', { cause })
    this.index = index
  }
}

/** The SQLSTATE of what the server refused, or the code of what happened to the connection. */
export const codeOf = (error: unknown): string | undefined => {
  if (error instanceof Problem || error instanceof StatementRefused) return codeOf(error.cause)
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** Another transaction interfered: the same work may succeed when it runs again. */
export const isInterference = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error) ?? '') || isStale(error instanceof Problem ? error.cause : error)

/** A transaction was refused, and surely not done; not so when the storage failed, which may have done it. */
export const isHarmless = (error: unknown): boolean => {
  const [refused, code] = [refusal(error), codeOf(error)]
  if (refused instanceof Problem && refused.kind === 'storageUnavailable') return undone.test(code ?? '')
  return code !== undefined
}

/** What the caller is told. An error that is no failure of the storage stays what it is. */
export const refusal = (error: unknown): unknown => {
  if (error instanceof Problem) return error
  if (error instanceof StatementRefused) return refusal(error.cause)
  if (!(error instanceof ServerError)) return isLoss(error) ? storageUnavailable(error) : error
  if (conflicts.test(error.code) || isLockOfRecord(error)) return conflict(error)
  if (unwritable.test(error.code)) return new Problem('bodyUnreadable', { cause: error })
  return undone.test(error.code) || failed.test(error.code) ? storageUnavailable(error) : error
}

/** As refusal; the observer hears of a failure of the storage. */
export const noted = (observer: Observer, error: unknown): unknown => {
  const refused = refusal(error)
  if (refused instanceof Problem && refused.kind === 'storageUnavailable')
    observer.storageFailed?.(codeOf(refused) ?? 'connection')
  return refused
}

/** Interference, a duplicate. */
const conflicts = /^(40001|40P01|23505)$/

/** A lock was waited for in vain. The server says of which record, where it is one; a whole table is nobody's to change. */
const isLockOfRecord = ({ code, context }: ServerError) => code === '55P03' && context !== undefined

/** Text that the server cannot keep, such as a NUL. */
const unwritable = /^(22021|22P05)$/

/** The storage cannot do it now, and has begun nothing: no right to the table, no such table, schema or database, a locked table. */
const undone = /^(3D000|3F000|42501|42P01|55P03)$/

/**
 * The connection, its authorization, a transaction that was ended from outside, resources, a standby, an operator,
 * the machine, corrupt data (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const failed = /^(08|28|25006|25P02|25P03|53|57|58|XX)/

/** The connection was lost, or never came about. */
const isLoss = (error: unknown) =>
  error instanceof ConnectionLost || (error instanceof Error && 'syscall' in error)
