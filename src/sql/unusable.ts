export type Reason =
  | 'locked'
  | 'corrupt'
  | 'newerSchema'
  | 'olderSchema'
  | 'otherSchema'
  | 'otherTables'
  | 'halfMoved'
  | 'notADatabase'
  | 'unreadable'
  /** The server does not know or accept a parameter of the URL. */
  | 'wrongParameter'

/** The data cannot be used as it is. A restart does not help; a person must act. */
export class DataUnusable extends Error {
  readonly reason: Reason

  constructor(reason: Reason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'DataUnusable'
    this.reason = reason
  }
}
