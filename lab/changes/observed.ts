import type { Change } from '../../src/client/messages.ts'

export type Value = Readonly<Record<string, unknown>> | null

/** What one operation of a write must leave in the log. */
export interface Expected {
  readonly type: string
  readonly subject: string
  /** The record in the answer. */
  readonly value: Value | undefined
  /** The only field that it changes, if it changes anything. */
  readonly changed: string | undefined
}

/** A request that writes. Its changes bear its track. */
export interface Write {
  readonly track: string
  readonly begunMs: number
  readonly endedMs: number
  /** The status of the answer; 0 without one. */
  readonly status: number
  /** Undefined if the answer was lost; empty if the request was refused. */
  readonly expected: readonly Expected[] | undefined
  /** The `Change-Cursor` of the answer. */
  readonly cursor: string | undefined
}

/** A cursor in an answer to a reader, and how many changes the reader had received by then. */
export interface CursorPlace {
  readonly cursor: string
  readonly count: number
}

/** The changes that one reader got, over all of its requests. */
export interface Reading {
  readonly how: string
  readonly types: readonly string[] | undefined
  /** The number that it began after; undefined if only its cursor is known, or that it began with the oldest. */
  after: number | undefined
  /** It was stopped before it came to the end. */
  readonly isPart: boolean
  readonly told: Change[]
  readonly places: CursorPlace[]
  /** Requests that reached the end of the log, and when they began. */
  readonly looks: { readonly begunMs: number; readonly count: number }[]
}

/** A whole list. */
export interface ListRead {
  readonly room: 'todos' | 'members'
  readonly filter: Readonly<Record<string, string>>
  readonly begunMs: number
  readonly rows: readonly Value[]
  readonly cursor: string
}

export interface Observations {
  /** The whole log, read at the end. */
  readonly log: readonly Change[]
  readonly written: readonly Write[]
  readonly readings: readonly Reading[]
  /** With the number of the last change before their cursor. */
  readonly lists: readonly (ListRead & { readonly after: number })[]
  /** The histories, by the number of the change. */
  readonly values: ReadonlyMap<number, Value>
  /** The changes that a webhook has received, and how many of them may be repeats. */
  readonly received: { readonly types: readonly string[]; readonly numbers: readonly number[] }
  readonly maxRepeats: number
}

export const idOf = (value: Value) => String(value?.todoId ?? value?.memberId ?? value?.webhookId)

export const numberOf = ({ sequence }: Change) => Number(sequence)

/** The place before the first change. */
export const beforeFirst = { sequence: '0' } as Change

export const hasTypeIn =
  (types: readonly string[] | undefined) =>
  ({ type }: Change) =>
    types?.includes(type) ?? true
