import type { Clock } from '#core/clock.ts'
import { onceFor } from '#core/once.ts'
import { notOneOf } from '#core/problem.ts'
import type { Writer } from '#http/message/representation/writer.ts'
import type { Cursors } from './cursor.ts'
import type { Streams } from './event-stream.ts'
import type { Made } from './guard.ts'
import { pagingParameters } from './paging.ts'
import { givenOnce, instantParameter, integerParameter, type Parameter, textParameter } from './query.ts'
import type { Route } from './routes.ts'

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

export interface FeedRules {
  /** Precedes every path. */
  readonly prefix: string
  readonly routes: readonly Route[]
  readonly writer: Writer
  readonly pageSizeMax: number
  readonly cursors: Cursors
  readonly changes: Changes
  readonly clock: Clock
  /** In which a date begins. */
  readonly timeZone: string
  readonly streams: Streams
}

/** The last digits of its id, which are random, name a change. */
export const markOf = (changeId: string) => changeId.slice(-12)

/** Whether the position is right after this change. */
export const isAfter = ({ mark }: Pick<Position, 'mark'>, { id }: Change) => mark !== '' && id.endsWith(mark)

/** Whether these neighbours were committed together. */
export const isSameUnit = (one: Change | undefined, other: Change | undefined) =>
  one !== undefined && one.unit !== '' && one.unit === other?.unit

/**
 * A cursor without a filter: everything before it has been seen, so it continues with any filter. Every write and every list tells
 * the newest one, so the last is kept.
 */
export const changeCursor = (cursors: Cursors, position: Position) => {
  const { history, number, mark } = position
  const last = lastTold(cursors)
  if (last.number === number && last.mark === mark && last.history === history) return last.token
  const block = blockOf(position)
  const token = block ? cursors.seal(block) : cursors.make([history, number, mark], bindingOf(everything))
  return Object.assign(last, { history, number, mark, token }).token
}

const lastTold = onceFor((_: Cursors) => ({ history: '', number: 0, mark: '', token: '' }))

/** Our tokens decrypt to bytes that begin with these. One in 16 million altered tokens does too; its history, number or mark refuses it (decision 0055). */
const ours = '000000'
const noMark = '00000000'

/** A position in 16 bytes: 3 zeros, 4 of the history, 5 of the number, 4 of the mark. Undefined if that cannot hold it. */
const blockOf = ({ history, number, mark }: Position) => {
  const digits = number.toString(16).padStart(10, '0')
  const block = Buffer.from(ours + history.slice(0, 8) + digits + (mark.slice(-8) || noMark), 'hex')
  return block.length === 16 && (mark === '' || !mark.endsWith(noMark)) ? block : undefined
}

const positionIn = (block: Buffer): Position | undefined => {
  const text = block.toString('hex')
  const mark = text.slice(24)
  if (!text.startsWith(ours)) return undefined
  return {
    history: text.slice(6, 14),
    number: Number(`0x${text.slice(14, 24)}`),
    mark: mark === noMark ? '' : mark,
  }
}

/** The field that tells it. One with a salt differs each time. */
export const cursorField = (cursors: Cursors, position: Position | undefined, salt = '') => {
  if (position === undefined) return []
  if (salt === '') return ['Change-Cursor', changeCursor(cursors, position)]
  const { history, number, mark } = position
  return ['Change-Cursor', cursors.make([history, number, mark, salt], bindingOf(everything))]
}

export const everything: ChangeFilter = {}

export const cursorFor = (cursors: Cursors, filter: ChangeFilter, position: Position) => {
  if (Object.values(filter).every((value) => value === undefined)) return changeCursor(cursors, position)
  const { history, number, mark } = position
  return cursors.make([history, number, mark], bindingOf(filter))
}

/** The position that a cursor names: one for this filter, or for none. Undefined if it is not ours, or for another filter. */
export const cursorPosition = (
  cursors: Cursors,
  filter: ChangeFilter,
  token: string,
): Position | undefined => {
  const block = cursors.open(token)
  if (block) return positionIn(block)
  const read = cursors.read(token, bindingOf(filter)) ?? cursors.read(token, bindingOf(everything))
  if (!read) return undefined
  const [history, number, mark] = read
  return { history: String(history), number: Number(number), mark: String(mark) }
}

/** Cursors of earlier releases are bound to `types` and `id` alone. */
const bindingOf = ({ types, id, by, timeFrom, timeTo }: ChangeFilter) => {
  const later = [by, timeFrom, timeTo]
  const given = later.some((value) => value !== undefined) ? later : []
  return `changes ${JSON.stringify([types, id, ...given].map((value) => value ?? null))}`
}

const maxWaitSeconds = 60
const maxIdLength = 64
const maxAuthorLength = 8_192

/** The parameters of a feed of these types. */
export const feedParameters = (types: readonly string[], timeZone: string) => ({
  after: afterParameter,
  before: beforeParameter,
  size: pagingParameters([]).size,
  wait: integerParameter('How many seconds an empty answer may wait for the next change.', {
    minimum: 0,
    maximum: maxWaitSeconds,
    default: 0,
  }),
  types: typesParameter(types),
  id: textParameter('Only changes of the record with this identifier.', maxIdLength),
  by: textParameter('Only changes that this caller made, as `by` of a change names it.', maxAuthorLength),
  timeFrom: instantParameter('Only changes made at this time or later.', timeZone),
  timeTo: instantParameter('Only changes made before this time.', timeZone),
})

const afterParameter: Parameter<string> = {
  schema: { type: 'string', maxLength: 1024, pattern: '^[A-Za-z0-9_-]+$' },
  description:
    'A cursor: the answer begins after it. It is valid for the filter that it was given for; one from `Change-Cursor` for any. `latest` begins with the next change. Without it, the answer begins with the oldest change that is kept.',
  read: givenOnce((value) => ({ value })),
}

const beforeParameter: Parameter<string> = {
  schema: afterParameter.schema,
  description:
    'A cursor, or `latest`: the answer goes back from there, newest first, and its `cursor` is the `before` of the next. Not together with `after`; nothing waits, and a stream ignores it.',
  read: afterParameter.read,
}

const typesParameter = (known: readonly string[]): Parameter<readonly string[]> => ({
  schema: { type: 'array', items: { type: 'string', enum: namesOf(known) }, maxItems: 64 },
  description:
    'Only changes of these types; repeatable, or separated by commas. `member.*` stands for all of members.',
  read(texts, target) {
    const names = texts.flatMap((text) => text.split(','))
    return names.every((name) => namesOf(known).includes(name))
      ? { value: typesNamed(names, known) }
      : { refused: notOneOf(target, namesOf(known)) }
  },
})

/** The types, and after them one name for all types of each resource. */
export const namesOf = (types: readonly string[]): readonly string[] => [
  ...types,
  ...new Set(types.map((type) => allOf(type))),
]

/** The types that these names stand for. */
export const typesNamed = (names: readonly string[], known: readonly string[]): readonly string[] =>
  known.filter((type) => names.includes(type) || names.includes(allOf(type))).sort()

const allOf = (type: string) => type.replace(/\.\w+$/, '.*')
