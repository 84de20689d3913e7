export type Reason =
  | 'locked'
  | 'corrupt'
  | 'newerSchema'
  | 'otherTables'
  | 'halfMoved'
  | 'notADatabase'
  | 'unreadable'

/** The data cannot be used as it lies there. Starting again does not help; a person must look. */
export class DataUnusable extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DataUnusable'
    this.reason = reason
  }
}
