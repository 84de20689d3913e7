/** A position in the log of changes: right after the change with this number. */
export interface Position {
  /** The name of the log, or the beginning of the name. */
  readonly logName: string
  readonly number: number
  /** The end of the id of this change, because another log may have another change with this number. Empty before the first change. */
  readonly idSuffix: string
}

export interface Change {
  readonly number: number
  readonly id: string
  /** For example `todo.created`. */
  readonly type: string
  readonly subject: string
  readonly version: number
  readonly changed: readonly string[]
  readonly author: string
  readonly track: string
  readonly time: number
  /** The same for all changes of a request. Those changes were committed together and have consecutive numbers. */
  readonly unit: string
}

/** The author of a request, and the changes that the request has made so far. */
export interface Actor {
  readonly author: string
  readonly track: string
  /** In order, including changes that were not committed. */
  readonly pendingChanges: PendingChange[]
}

export interface PendingChange {
  readonly id: string
  readonly subject: string
  /** Set at commit. */
  readonly number?: number
  isErased?: boolean
  /** Removes the values of the record from the log entry. */
  erase(): void
}

export interface ChangeFilter {
  readonly types?: readonly string[] | undefined
  readonly id?: string | undefined
  readonly author?: string | undefined
  /** Made at this time or later. */
  readonly timeFrom?: number | undefined
  /** Made before this time. */
  readonly timeTo?: number | undefined
}

/** Some changes. The changes of one request are never split, so there may be more than the requested number. */
export interface ChangePage {
  readonly changes: readonly Change[]
  /** The position after the last change that was read, matching or not. */
  readonly position: Position
  readonly hasMore: boolean
}

/** A change, and the record after it. `value` is null if the change deleted the record or its value is not kept. */
interface PastChange {
  readonly change: Change
  readonly value: object | null
}

export interface Changes {
  /** The id of the log's branch. After a restore it is another: changes that were sent may be lost and their numbers reused. */
  branchId(): Promise<string>
  latest(): Promise<Position>
  /** The position before the oldest change. */
  oldest(): Promise<Position>
  /** Undefined if the position belongs to another log, or is before the oldest change. */
  read(after: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** The changes before the position, newest first, and the position before them. Undefined in the same cases as `read`. */
  readBackwards(before: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** Like `read`, but from memory: may lack changes whose notification has not arrived yet. */
  readFromMemory(after: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** The changes of a record of this resource before this number, newest first, one more than `size`. */
  historyOf(
    resource: string,
    id: string,
    page: { readonly before?: number | undefined; readonly size: number },
  ): Promise<readonly PastChange[]>
  /** Starts to follow the log. Call this before a read, if `nextArrival` will wait for the changes after it. */
  follow(): Promise<void>
  /** The number of notifications of new changes so far. */
  arrivalCount(): number
  /** Resolves at the first notification after `since` of them, when the time is up, when the signal aborts, or when the service stops. */
  nextArrival(since: number, limitMs: number, signal: AbortSignal): Promise<void>
  /** True once the service stops. */
  isStopping(): boolean
  /** The position after the last of these changes that was committed, or the latest. Undefined if the database cannot be read. */
  positionAfterWrites(made: readonly PendingChange[]): Promise<Position | undefined>
}

/** The last digits of the id of a change, which are random. */
export const idSuffixOf = (changeId: string) => changeId.slice(-12)

/** True if the position is right after this change. */
export const isAfter = ({ idSuffix }: Pick<Position, 'idSuffix'>, { id }: Change) =>
  idSuffix !== '' && id.endsWith(idSuffix)

export const isSameUnit = (one: Change | undefined, other: Change | undefined) =>
  one !== undefined && one.unit !== '' && one.unit === other?.unit
