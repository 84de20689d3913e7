import { undefused, valueAt } from '#core/csv.ts'
import type { ResolvedMessage } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import type { Values } from '#resources/importing.ts'
import type { KnownColumns } from './columns.ts'
import { isNameOrder, namesIn } from './full-name.ts'
import type { Cells } from './rows.ts'
import type { Column, Job } from './store.ts'
import { meaningOf, type ValueOptions } from './values.ts'

/** The values of a row by field, and questions about them. */
export interface Said {
  readonly said: Values
  readonly unclear: readonly ResolvedMessage[]
}

interface Saying {
  readonly known: KnownColumns
  readonly today: string
}

/** Interprets a row with the columns and options of its import. */
export const saidIn = ({ cells, corrected = {} }: Cells, job: Job, { known, today }: Saying): Said => {
  const { columns, replaced, options } = job
  const said: Record<string, unknown> = {}
  const unclear: ResolvedMessage[] = []
  const put = (field: string, text: unknown, { heading, dates }: Partial<Column>) => {
    const other = replaced.findLast((one) => one.field === field && one.from === textOf(text))
    const given = other ? other.to : text
    const isExact = field === heading || field.endsWith(`.${heading}`)
    const asked = { dates: options.dates ?? dates ?? null, today, foreign: known.foreign?.[field], isExact }
    const meaning = meaningIn(known, field, given, asked)
    if ('open' in meaning) unclear.push({ code: 'OpenDate', target: field })
    said[field] = 'open' in meaning ? given : meaning.value
  }
  columns.forEach((column, at) => {
    const { field, heading } = column
    const text = Array.isArray(cells)
      ? cellOf(cells[at], isSecret(known.fields, field))
      : valueAt(cells as Values, heading ?? '')
    if (isNameOrder(field)) for (const [one, name] of Object.entries(namesOf(text, field))) put(one, name, {})
    else if (field !== null) put(field, text ?? null, column)
  })
  for (const [field, text] of Object.entries(corrected)) put(field, text, { heading: field })
  return { said, unclear }
}

/** Our own lists for spreadsheets have an apostrophe before what looks like a formula. A secret is never changed. */
const cellOf = (cell: string | null | undefined, isAsIs: boolean) =>
  cell == null || isAsIs ? cell : undefused(cell)

const meaningIn = ({ fields }: KnownColumns, field: string, given: unknown, options: ValueOptions) =>
  typeof given === 'string' ? meaningOf(fields[field] ?? {}, given, options) : { value: given }

const namesOf = (text: unknown, order: Parameters<typeof namesIn>[1]) =>
  typeof text === 'string' && text.trim() !== '' ? namesIn(text, order) : { lastName: null, firstName: null }

/** The field of the password of a member. */
export const passwordField = 'credential.password'

/** Whether a field is never shown, such as a password. */
export const isSecret = (fields: Fields, field: string | null) => 'writeOnly' in (fields[field ?? ''] ?? {})

export const textOf = (value: unknown) => (value === null || value === undefined ? null : String(value))

/** A record with dotted names as one with objects. */
export const nested = (values: Values): Values => {
  const record: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const [first = '', ...rest] = path.split('.')
    if (rest.length === 0) record[first] = value
    else record[first] = { ...(record[first] as object | undefined), [rest.join('.')]: value }
  }
  return record
}

export const flattened = (record: Values): Values =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flattened(value as Values)).map(([inner, one]) => [`${name}.${inner}`, one])
        : [[name, value]],
    ),
  )
