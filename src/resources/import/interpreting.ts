import { unescapeFormula, valueAt } from '#core/csv.ts'
import type { CodedMessage } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import type { Values } from '#resources/import-target.ts'
import type { MappableFields } from './columns.ts'
import { isNameOrder, splitName } from './full-name.ts'
import type { Cells } from './rows.ts'
import type { Column, Job } from './store.ts'
import { interpretText } from './values.ts'

export interface InterpretedValues {
  readonly fileValues: Values
  /** Values for new records in fields that have no column. */
  readonly defaults: Values
  /** The faults of values that cannot be interpreted. */
  readonly valueFaults: readonly CodedMessage[]
}

interface InterpretingContext {
  readonly mappable: MappableFields
  readonly today: string
  readonly timeZone: string
}

export const interpretRow = (
  { cells, corrected = {} }: Cells,
  job: Job,
  context: InterpretingContext,
): InterpretedValues => {
  const { fields } = context.mappable
  const fileValues: Record<string, unknown> = {}
  const valueFaults: CodedMessage[] = []
  const texts = new Map<string, { readonly text: unknown; readonly column: Column }>()
  const read = (field: string, text: unknown, column: Partial<Column> = {}) => {
    const { replaced, meaning } = interpretCell({ ...context, job, field, column }, text)
    if ('unclear' in meaning) valueFaults.push({ code: meaning.unclear, target: field })
    return 'unclear' in meaning ? replaced : meaning.value
  }
  job.columns.forEach((column, at) => {
    const { field, heading } = column
    const text = Array.isArray(cells)
      ? unescapeCell(cells[at], isSecret(fields, field))
      : valueAt(cells as Values, heading ?? '')
    // A property that a row of a JSON file omits leaves its field unchanged.
    if (text === undefined && !Array.isArray(cells)) return
    // A column of full names is mapped to the order of the names, not to a field.
    if (isNameOrder(field))
      for (const [one, name] of Object.entries(splitFullName(text, field))) fileValues[one] = read(one, name)
    else if (field !== null) {
      const before = texts.get(field)
      texts.set(field, before ? { ...before, text: joinTexts(before.text, text) } : { text, column })
    }
  })
  for (const [field, { text, column }] of texts) fileValues[field] = read(field, text ?? null, column)
  for (const [field, text] of Object.entries(corrected))
    fileValues[field] = read(field, text, { heading: field })
  const defaultReplacements = job.replaced.filter(
    ({ field, from }) => from === null && !(field in fileValues),
  )
  const defaults = Object.fromEntries(defaultReplacements.map(({ field }) => [field, read(field, null)]))
  return { fileValues, defaults, valueFaults }
}

/** Removes the apostrophe that Rollcall's exports put before a text that looks like a formula. Returns secrets unchanged. */
const unescapeCell = (cell: string | null | undefined, isSecretField: boolean) =>
  cell == null || isSecretField ? cell : unescapeFormula(cell)

const joinTexts = (one: unknown, other: unknown) => {
  const [before, after] = [one, other].map((text) => (textOf(text) ?? '').trim())
  if (!before || !after) return before || after || null
  return /^\p{sc=Han}/u.test(after) || /\p{sc=Han}$/u.test(before) ? before + after : `${before} ${after}`
}

interface CellContext extends InterpretingContext {
  readonly job: Job
  readonly field: string
  readonly column: Partial<Column>
}

/** Applies the replacements of the import to a cell, and interprets the result. */
const interpretCell = ({ mappable, today, timeZone, job, field, column }: CellContext, cell: unknown) => {
  const { options } = job
  const { heading, dates } = column
  const isExact = field === heading || field.endsWith(`.${heading}`)
  const order = options.dates ?? dates ?? null
  const hints = { dates: order, today, timeZone, foreign: mappable.foreign?.[field], isExact }
  const schema = mappable.fields[field] ?? {}
  const interpret = (value: unknown) => {
    // JSON may contain a number where a field needs a text. Beyond this limit, its last digits are lost, so the schema refuses it.
    const isWritable = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    const text = isWritable && schema.type?.includes('string') ? String(value) : value
    return typeof text === 'string' ? interpretText(schema, text, hints) : { value: text }
  }
  const matches = (value: unknown, from: string | null) => {
    const meaning = interpret(value)
    return from === textOf(value) || ('value' in meaning && from === textOf(meaning.value))
  }
  const replaced = job.replaced
    .filter((one) => one.field === field)
    .reduce((current, { from, to }) => (matches(current, from) ? to : current), cell)
  return { replaced, meaning: interpret(replaced) }
}

const splitFullName = (text: unknown, order: Parameters<typeof splitName>[1]) =>
  typeof text === 'string' && text.trim() !== ''
    ? splitName(text, order)
    : { lastName: null, firstName: null }

export const passwordField = 'credential.password'

/** The role of a member. Only an import with `existing: change` sets it. */
export const roleField = 'credential.role'

/** Several columns can be joined into a field with free text that does not identify records. */
export const canBeJoined = (mappable: MappableFields, field: string) => {
  const { type, format, 'x-extensible-enum': codes } = mappable.fields[field] ?? {}
  return !mappable.unique?.includes(field) && type?.includes('string') && !format && !codes
}

/** A secret, such as a password, is never shown. */
export const isSecret = (fields: Fields, field: string | null) => 'writeOnly' in (fields[field ?? ''] ?? {})

export const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value))

/** Makes nested objects of dotted names, the reverse of `flatten`. */
export const unflatten = (values: Values): Values => {
  const record: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const [first = '', ...rest] = path.split('.')
    if (rest.length === 0) record[first] = value
    else record[first] = { ...(record[first] as object | undefined), [rest.join('.')]: value }
  }
  return record
}
