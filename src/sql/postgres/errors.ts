import { conflict, Problem, referenceBroken, storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { ConnectionLost, isStalePlan, ServerError } from './wire/errors.ts'

/** The server refused one of several statements that were sent together. None of them took effect. */
export class StatementRefused extends Error {
  readonly index: number

  constructor(index: number, cause: unknown) {
    super('a statement was refused', { cause })
    this.index = index
  }
}

/** The SQLSTATE of a server error, or the code of a connection error. */
export const codeOf = (error: unknown): string | undefined => {
  if (error instanceof Problem || error instanceof StatementRefused) return codeOf(error.cause)
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

/** True if another transaction interfered. The work may succeed if it runs again. */
export const isInterference = (error: unknown): boolean =>
  /^(40001|40P01)$/.test(codeOf(error) ?? '') || isStalePlan(error instanceof Problem ? error.cause : error)

/** True if the server, the database or the role has no more connections. */
export const isOutOfConnections = (error: unknown): boolean => codeOf(error) === '53300'

/** The code of the error for a primary that another server has replaced. */
export const formerPrimary = 'FORMER_PRIMARY'

/** True if the transaction certainly had no effect. After other storage failures, the outcome is unknown. */
export const hadNoEffect = (error: unknown): boolean => {
  const code = codeOf(error)
  return isUnavailable(error) ? notBegunCodes.test(code ?? '') : code !== undefined
}

/** True if the storage cannot serve any caller now. */
export const isUnavailable = (error: unknown): boolean => {
  const refused = toRefusal(error)
  return refused instanceof Problem && refused.kind === 'storageUnavailable'
}

/** The refusal for the caller. An error that is not from the storage is returned unchanged. */
export const toRefusal = (error: unknown): unknown => {
  if (error instanceof Problem) return error
  if (error instanceof StatementRefused) return toRefusal(error.cause)
  if (!(error instanceof ServerError)) return isConnectionLoss(error) ? storageUnavailable(error) : error
  if (error.code === foreignKeyViolation) return referenceBroken(error)
  if (conflictCodes.test(error.code) || isRecordLocked(error)) return conflict(error)
  if (unstorableTextCodes.test(error.code)) return new Problem('bodyUnreadable', { cause: error })
  return notBegunCodes.test(error.code) || failureCodes.test(error.code) ? storageUnavailable(error) : error
}

/** As `toRefusal`, and reports a storage failure to the observer. */
export const reportAndRefuse = (observer: Observer, error: unknown): unknown => {
  const refused = toRefusal(error)
  if (isUnavailable(refused)) observer.storageFailed?.(codeOf(refused) ?? 'connection')
  return refused
}

const foreignKeyViolation = '23503'

/** Interference, or a duplicate key. */
const conflictCodes = /^(40001|40P01|23505)$/

/** True if a record stayed locked. For a locked table, which is no conflict of requests, the server's error has no CONTEXT field. */
const isRecordLocked = ({ code, hasContextField }: ServerError) => code === '55P03' && hasContextField

/** The server cannot store a text, such as one with a NUL. */
const unstorableTextCodes = /^(22021|22P05)$/

/** The statement did not begin: no permission, no such table, schema or database, or a locked table. */
const notBegunCodes = /^(3D000|3F000|42501|42P01|55P03)$/

/**
 * Failures of the storage: connection, authorization, standby, transaction ended by the server, resources, operator, system, corrupt data
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const failureCodes = /^(08|28|25006|25P02|25P03|53|57|58|XX)/

/** The connection was lost, or never established. */
const isConnectionLoss = (error: unknown) =>
  error instanceof ConnectionLost || (error instanceof Error && 'syscall' in error)
