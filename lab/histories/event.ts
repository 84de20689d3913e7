/** One line of a history. A line without a key belongs to the operation its process has begun. */
export interface Event {
  readonly process: number
  readonly type: 'invoke' | 'ok' | 'fail' | 'info'
  readonly op: Op
  /** The record concerned; for a create it comes with the answer. */
  readonly key?: string | undefined
  /** The content to be written, or that was seen; null means that there is no record. */
  readonly value?: string | null | undefined
  /** The value that a cas expects. */
  readonly from?: string | undefined
  /** Why it failed, or why its outcome is unknown. */
  readonly error?: string | undefined
  /** The instance that got the request. */
  readonly instance?: string | undefined
  /** Monotonic, from the start of the history. */
  readonly ns: number
}

/**
 * On a record, which is a register: create, repeat, read, write, cas, finish, delete.
 * On members: join, leave. At the end: list and roster, one line per record; audit, which counts orphans.
 * By the disturber (process -1): fault.
 */
export type Op =
  | 'create'
  | 'repeat'
  | 'read'
  | 'write'
  | 'cas'
  | 'finish'
  | 'delete'
  | 'join'
  | 'leave'
  | 'list'
  | 'roster'
  | 'audit'
  | 'fault'

export const disturber = -1

/** The error of an operation that found no record: it shows that there was none. */
export const absent = 'absent'

/** The error of a cas that did not find its value: it shows that there was another, or no record. */
export const changed = 'changed'

/** The error of a join whose sign id another member holds. */
export const inUse = 'in use'
