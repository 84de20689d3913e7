import { unreadableDateMarker } from '#console/app/ui/fields.tsx'
import { valueAt } from '#core/csv.ts'
import type { Field } from './kind.ts'

/** The typed texts, by the names of the fields. */
export type Draft = Readonly<Record<string, string>>

export const isSameDraft = (one: Draft, other: Draft) =>
  Object.entries(one).every(([field, text]) => other[field] === text)

/** The draft with which a form begins, for an existing or a new record. */
export const draftOf = (fields: readonly Field[], item: object = {}): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, toText(field, valueAt(item, field.name))]))

/** The text in a draft for null in a field where null means all codes. In other texts for a list of codes, spaces separate the codes. */
export const everyCode = '*'

/** A value as the text that an input shows. A time is in the time zone of the browser. Inputs show every line break as `\n`. */
const toText = ({ kind, all }: Field, value: unknown): string => {
  if (value === null && all) return everyCode
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(' ')
  return kind === 'time' ? localTime(new Date(String(value))) : String(value).replace(/\r\n?/g, '\n')
}

/** A time as an input of the type `datetime-local` shows it, without seconds. */
const localTime = (time: Date) =>
  `${new Intl.DateTimeFormat('sv').format(time)}T${time.toTimeString().slice(0, 5)}`.padStart(16, '0')

/** The comparison of two changes of the same version: the user's change and somebody else's. */
interface Comparison {
  /** The fields that both users changed, to different values. */
  readonly clashes: readonly string[]
  /** The fields that only the user changed. */
  readonly mine: readonly string[]
  /** The fields that only somebody else changed. */
  readonly theirs: readonly string[]
  /** A draft with the changes of both. In a clash, the user's value wins. */
  readonly merged: Draft
}

export const compare = (base: Draft, mine: Draft, theirs: Draft): Comparison => {
  const fields = Object.keys(base)
  const byMe = fields.filter((field) => mine[field] !== base[field])
  const byThem = fields.filter((field) => theirs[field] !== base[field])
  const onlyTheirs = byThem.filter((field) => !byMe.includes(field))
  return {
    clashes: byMe.filter((field) => byThem.includes(field) && mine[field]?.trim() !== theirs[field]?.trim()),
    mine: byMe.filter((field) => !byThem.includes(field)),
    theirs: onlyTheirs,
    merged: { ...mine, ...pick(theirs, onlyTheirs) },
  }
}

export const pick = (draft: Draft, fields: readonly string[]): Draft =>
  Object.fromEntries(fields.map((field) => [field, draft[field] ?? '']))

/** The values to send. A field that the user did not change keeps its stored value, so that an empty text does not become null. */
export const valuesOf = (fields: readonly Field[], draft: Draft, before: object = {}) =>
  Object.fromEntries(
    fields.map((field) => {
      const typed = draft[field.name] ?? ''
      const stored = valueAt(before, field.name)
      const isUntouched = stored !== undefined && typed === toText(field, stored)
      return [field.name, isUntouched ? stored : toJson(field, withLineBreaksOf(stored, typed))]
    }),
  )

/** The typed text with the kind of line breaks that the stored text has. */
const withLineBreaksOf = (stored: unknown, typed: string) =>
  /\r\n/.test(String(stored)) ? typed.replaceAll('\n', '\r\n') : typed

/** The value for a typed text, without white space around it. The service validates the value. */
const toJson = ({ kind, canBeEmpty, isOptional }: Field, typed: string): unknown => {
  // The service refuses both. Null would clear an optional field that somebody has filled incompletely.
  if (typed === unreadableDateMarker) return isOptional ? '' : null
  const text = typed.trim()
  if (kind === 'codes') return text === everyCode ? null : text.split(' ').filter(Boolean)
  if (text === '') return canBeEmpty ? '' : null
  if (kind === 'whole') return Number(text)
  if (kind === 'flag') return text === 'true'
  return kind === 'time' ? new Date(text).toISOString() : text
}
