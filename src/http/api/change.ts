import type { Made } from './guard.ts'

/** A place in the history of all changes: right after the change of this number. */
export interface Position {
  /** Names the history, or begins its name. */
  readonly history: string
  readonly number: number
  /** Names the change of this number, or ends its name, because another history may have another one. Empty: its first change is the next. */
  readonly mark: string
}

export interface Change {
  readonly number: number
  readonly id: string
  /** Such as `todo.created`. */
  readonly type: string
  readonly subject: string
  readonly version: number
  readonly changed: readonly string[]
  readonly by: string
  readonly track: string
  readonly time: number
  /** The same for the changes of one request, which follow one another if they were committed together. */
  readonly unit: string
}

export interface ChangeFilter {
  readonly types?: readonly string[] | undefined
  readonly id?: string | undefined
  /** Their author. */
  readonly by?: string | undefined
  /** Made at this time or later. */
  readonly timeFrom?: number | undefined
  /** Made before this time. */
  readonly timeTo?: number | undefined
}

/** Some changes. Those of one unit are never apart, so there may be more than were asked for. */
export interface ChangePage {
  readonly changes: readonly Change[]
  /** After the last that was looked at. */
  readonly position: Position
  readonly more: boolean
}

/** A change, and the record as it was after it. Null if it was deleted, or what it was is not kept. */
interface PastChange {
  readonly change: Change
  readonly value: object | null
}

/** The log of changes. */
export interface Changes {
  /** Names the history and the line of commits: if it differs, changes that were told may be lost, and their numbers given again. */
  branch(): Promise<string>
  latest(): Promise<Position>
  /** Before the oldest that is kept. */
  oldest(): Promise<Position>
  /** Undefined if the position is of another history, or older than what is kept. */
  read(after: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** The last of those up to the position, newest first. The position it returns is before them. Undefined as for `read`. */
  earlier(before: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** As `read`, but perhaps without changes that have not been heard of. */
  recent(after: Position, filter: ChangeFilter, size: number): Promise<ChangePage | undefined>
  /** The changes of a record before this number, newest first, one more than asked for. */
  history(id: string, before: number | undefined, size: number): Promise<readonly PastChange[]>
  /** To be called before the first read that `arrival` is to follow. */
  follow(): Promise<void>
  /** Differs whenever something has arrived. */
  arrived(): number
  /** Resolves once something has arrived since, or the time is up, or the signal or everything ends. */
  arrival(since: number, limitMs: number, signal: AbortSignal): Promise<void>
  hasEnded(): boolean
  /** After the last of these changes that was committed, or else the latest. Undefined where it cannot be read. */
  reached(made: readonly Made[]): Promise<Position | undefined>
}

/** The last digits of its id, which are random, name a change. */
export const markOf = (changeId: string) => changeId.slice(-12)

/** Whether the position is right after this change. */
export const isAfter = ({ mark }: Pick<Position, 'mark'>, { id }: Change) => mark !== '' && id.endsWith(mark)

/** Whether these neighbours were committed together. */
export const isSameUnit = (one: Change | undefined, other: Change | undefined) =>
  one !== undefined && one.unit !== '' && one.unit === other?.unit
