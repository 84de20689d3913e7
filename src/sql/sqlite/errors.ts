import { conflict, Problem, referenceBroken, storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'

/** A one-word name for a result code (https://sqlite.org/rescode.html). */
export type Failure =
  | 'busy'
  | 'full'
  | 'readOnly'
  | 'moved'
  | 'unopened'
  | 'io'
  | 'corrupt'
  | 'notADatabase'
  | 'memory'
  | 'duplicate'
  | 'reference'

export const failureOf = (error: unknown): Failure | undefined => {
  if (error instanceof Problem) return failureOf(error.cause)
  const code = resultCode(error)
  return code === undefined ? undefined : (failuresByExtendedCode[code] ?? failuresByCode[code & 0xff])
}

export const isBusy = (error: unknown) => failureOf(error) === 'busy'

/** True if the storage failed. A duplicate key or a broken reference is no storage failure. */
export const isStorageFailure = (error: unknown) => {
  const failure = failureOf(error)
  return failure !== undefined && failure !== 'duplicate' && failure !== 'reference'
}

/** The refusal for the caller. An error that is not from SQLite is returned unchanged. */
export const toRefusal = (error: unknown): unknown => {
  const failure = failureOf(error)
  if (failure === undefined || error instanceof Problem) return error
  if (failure === 'reference') return referenceBroken(error)
  return failure === 'duplicate' ? conflict(error) : storageUnavailable(error)
}

/** As `toRefusal`, and reports a storage failure to the observer. */
export const reportAndRefuse = (observer: Observer, error: unknown): unknown => {
  const failure = failureOf(error)
  if (failure !== undefined && isStorageFailure(error)) observer.storageFailed?.(failure)
  return toRefusal(error)
}

/** A rejection handler that throws what `reportAndRefuse` returns. */
export const reportAndThrow =
  (observer: Observer) =>
  (error: unknown): never => {
    throw reportAndRefuse(observer, error)
  }

const resultCode = (error: unknown) =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

const failuresByExtendedCode: Readonly<Record<number, Failure>> = {
  787: 'reference',
  1032: 'moved',
  1555: 'duplicate',
  2067: 'duplicate',
}

const failuresByCode: Readonly<Record<number, Failure>> = {
  5: 'busy',
  6: 'busy',
  7: 'memory',
  8: 'readOnly',
  10: 'io',
  11: 'corrupt',
  13: 'full',
  14: 'unopened',
  26: 'notADatabase',
}
