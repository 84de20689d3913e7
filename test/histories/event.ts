/** One line of a history. A line that names no key is about the operation its process has begun. */
export interface Event {
  readonly process: number
  readonly type: 'invoke' | 'ok' | 'fail' | 'info'
  readonly op: Op
  /** The record it is about; a create learns it with its answer. */
  readonly key?: string | undefined
  /** What is to be there, or what was seen there; null is "nothing there". */
  readonly value?: string | null | undefined
  /** The value a cas insists on; what a batch of reads saw. */
  readonly from?: string | undefined
  /** Why it failed, or why its fate is unknown. */
  readonly error?: string | undefined
  /** The instance that was asked. */
  readonly instance?: string | undefined
  /** Monotonic, from the start of the history. */
  readonly ns: number
}

/**
 * On a record, a register: create, read, write, cas, finish, delete.
 * On who may sign in: join, leave. At the end: list and roster, one line a record; audit, which counts orphans.
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

/** The fail of an operation that found nothing: it tells that nothing was there. */
export const absent = 'absent'

/** The fail of a cas that did not find its value: it tells that another was there, or nothing. */
export const changed = 'changed'

/** The fail of a join whose sign id is another's. */
export const inUse = 'in use'

export const toLine = (event: Event) => `${JSON.stringify(event)}\n`

export const fromLines = (text: string): Event[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event)
