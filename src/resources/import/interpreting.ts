import { unescapeFormula, valueAt } from '#core/csv.ts'
import type { ResolvedMessage } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import type { Values } from '#resources/import-target.ts'
import type { MappableFields } from './columns.ts'
import { isNameOrder, namesIn } from './full-name.ts'
import type { Cells } from './rows.ts'
import type { Column, Job } from './store.ts'
import { meaningOf } from './values.ts'

/** The values of a row by field, and the values that cannot be interpreted. */
export interface Interpreted {
  readonly given: Values
  /** The values of new records in fields without a column. */
  readonly defaults: Values
  readonly unclear: readonly ResolvedMessage[]
}

interface Interpreting {
  readonly mappable: MappableFields
  readonly today: string
}

export const interpretRow = (
  { cells, corrected = {} }: Cells,
  job: Job,
  context: Interpreting,
): Interpreted => {
  const { fields } = context.mappable
  const given: Record<string, unknown> = {}
  const unclear: ResolvedMessage[] = []
  const texts = new Map<string, { readonly text: unknown; readonly column: Column }>()
  const read = (field: string, text: unknown, column: Partial<Column> = {}) => {
    const { corrected, meaning } = meaningIn({ ...context, job, field, column }, text)
    if ('unclear' in meaning) unclear.push({ code: meaning.unclear, target: field })
    return 'unclear' in meaning ? corrected : meaning.value
  }
  job.columns.forEach((column, at) => {
    const { field, heading } = column
    const text = Array.isArray(cells)
      ? cellOf(cells[at], isSecret(fields, field))
      : valueAt(cells as Values, heading ?? '')
    // A row of a list leaves out a property to say nothing about it.
    if (text === undefined && !Array.isArray(cells)) return
    if (isNameOrder(field))
      for (const [one, name] of Object.entries(namesOf(text, field))) given[one] = read(one, name)
    else if (field !== null) {
      const before = texts.get(field)
      texts.set(field, before ? { ...before, text: joined(before.text, text) } : { text, column })
    }
  })
  for (const [field, { text, column }] of texts) given[field] = read(field, text ?? null, column)
  for (const [field, text] of Object.entries(corrected)) given[field] = read(field, text, { heading: field })
  const empty = job.replaced.filter(({ field, from }) => from === null && !(field in given))
  const defaults = Object.fromEntries(empty.map(({ field }) => [field, read(field, null)]))
  return { given, defaults, unclear }
}

/** Removes the apostrophe that Rollcall's exports put before a text that looks like a formula. Never changes a secret. */
const cellOf = (cell: string | null | undefined, isAsIs: boolean) =>
  cell == null || isAsIs ? cell : unescapeFormula(cell)

const joined = (one: unknown, other: unknown) => {
  const [before, after] = [one, other].map((text) => (textOf(text) ?? '').trim())
  if (!before || !after) return before || after || null
  return /^\p{sc=Han}/u.test(after) || /\p{sc=Han}$/u.test(before) ? before + after : `${before} ${after}`
}

interface CellContext extends Interpreting {
  readonly job: Job
  readonly field: string
  readonly column: Partial<Column>
}

/** Applies the replacements for this value, then interprets it. */
const meaningIn = ({ mappable, today, job, field, column }: CellContext, cell: unknown) => {
  const { options, replaced } = job
  const { heading, dates } = column
  const isExact = field === heading || field.endsWith(`.${heading}`)
  const hints = { dates: options.dates ?? dates ?? null, today, foreign: mappable.foreign?.[field], isExact }
  const schema = mappable.fields[field] ?? {}
  const interpret = (given: unknown) => {
    // JSON may contain a number where a field needs a text.
    const text = typeof given === 'number' && schema.type?.includes('string') ? String(given) : given
    return typeof text === 'string' ? meaningOf(schema, text, hints) : { value: text }
  }
  const isLike = (given: unknown, from: string | null) => {
    const meaning = interpret(given)
    return from === textOf(given) || ('value' in meaning && from === textOf(meaning.value))
  }
  const corrected = replaced
    .filter((one) => one.field === field)
    .reduce((now, { from, to }) => (isLike(now, from) ? to : now), cell)
  return { corrected, meaning: interpret(corrected) }
}

const namesOf = (text: unknown, order: Parameters<typeof namesIn>[1]) =>
  typeof text === 'string' && text.trim() !== '' ? namesIn(text, order) : { lastName: null, firstName: null }

export const passwordField = 'credential.password'

/** The role of a member. Only files that change what exists set it. */
export const roleField = 'credential.role'

/** Whether several columns may be joined to fill the field: it is free text and identifies no record. */
export const isJoined = (mappable: MappableFields, field: string) => {
  const { type, format, 'x-extensible-enum': codes } = mappable.fields[field] ?? {}
  return !mappable.unique?.includes(field) && type?.includes('string') && !format && !codes
}

/** Whether a field is never shown, such as a password. */
export const isSecret = (fields: Fields, field: string | null) => 'writeOnly' in (fields[field ?? ''] ?? {})

export const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value))

/** Reverses `flattened`. */
export const nested = (values: Values): Values => {
  const record: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const [first = '', ...rest] = path.split('.')
    if (rest.length === 0) record[first] = value
    else record[first] = { ...(record[first] as object | undefined), [rest.join('.')]: value }
  }
  return record
}
