import { InvalidArgumentError, Option } from 'commander'
import { type Fields, isNullable, type Schema, startingValueOf } from '#core/schema.ts'
import { fieldFlag } from './service.ts'

/** Overrides parts of the flag that is derived from the name and schema of a field. */
export interface FlagOverride {
  /** Another flag. `<title>` makes the field the first argument of `add`. */
  readonly flag?: string
  /** The form of the value, as help and refusals describe it. */
  readonly form?: string
  /** The description in the help. Default: the form of the value. */
  readonly about?: string
}

interface FlagSource {
  readonly name: string
  readonly fields: Fields
  readonly overrides?: Readonly<Record<string, FlagOverride>>
}

/** The placeholder for an id in examples. */
export const exampleId = '01a1fdc8-…'

export interface Flag {
  readonly field: string
  readonly schema: Schema
  /** `--first-name`, or `<title>`. */
  readonly flag: string
  readonly about: string
  /** The flag and the form of its value, as refusals name them. */
  readonly label: string
  readonly isRequired: boolean
  /** Absent if the field is given as an argument. */
  readonly option?: Option
}

export const flagsOf = (
  { name, fields, overrides = {} }: FlagSource,
  verb: 'add' | 'change' = 'add',
): readonly Flag[] =>
  Object.entries(fields)
    // A field with `always` has a fixed value at first, so `add` has no flag for it.
    .filter(([, schema]) => !('readOnly' in schema) && !(verb === 'add' && 'always' in schema))
    .map(([field, schema]) => {
      const { form = formOf(schema), flag: overridden, about = form } = overrides[field] ?? {}
      const canOverride = verb === 'add' || !overridden?.startsWith('<')
      const flag = (canOverride && overridden) || flagFor(name, field)
      const choices = overrides[field]?.form === undefined ? choicesOf(schema) : []
      const isRequired = !isNullable(schema) && startingValueOf(schema) === undefined
      const label = form === '' ? flag : `${flag} (${form})`
      const common = { field, schema, flag, about, label, isRequired }
      if (flag.startsWith('<')) return common
      const option = flagWithValue(`${flag} <${flag.startsWith('--scope') ? 'scope' : 'text'}>`, about)
      if (choices.length > 0) option.choices(choices)
      return { ...common, option: schema.items ? option.argParser(appendChoice(choices)) : option }
    })

/** A flag with a value. Commander would take `--no-show` for the opposite of `--show`, and set it in every command. */
const flagWithValue = (flag: string, about: string) =>
  Object.assign(new Option(flag, about), { negate: false })

export const toFlag = (name: string, filter: string, about: string) =>
  flagWithValue(`${flagFor(name, filter)} <value>`, about)

/** The flags of all commands, which no field may take. */
const reservedFlags =
  '--url --user --token-file --database-url --resources --settings-file --json --limit --sort --help'

/** The flag of a field. If that flag is reserved, the name of the resource precedes it: `--member-limit`. */
const flagFor = (name: string, field: string) => {
  const flag = fieldFlag(field)
  return reservedFlags.split(' ').includes(flag) ? fieldFlag(name) + flag.slice(1) : flag
}

export const append = (text: string, previous: readonly string[] = []) => [...previous, text]

const appendChoice =
  (choices: readonly string[]) =>
  (text: string, previous: readonly string[] = []) => {
    if (choices.length === 0 || choices.includes(text)) return [...previous, text]
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }

const choicesOf = (schema: Schema): readonly string[] => {
  const { 'x-extensible-enum': codes, items, type } = schema
  if (items) return choicesOf(items)
  const choices = codes ?? (type?.includes('boolean') ? ['true', 'false'] : [])
  return choices.length > 0 && isNullable(schema) ? [...choices, ''] : choices
}

const formOf = (schema: Schema): string => {
  const words = formIgnoringNull(schema)
  return isNullable(schema) && words !== '' && !acceptsEmptyText(schema) ? `${words}; "" for none` : words
}

const formIgnoringNull = (schema: Schema): string => {
  const { reference, items, 'x-extensible-enum': codes, format, type } = schema
  const { minLength = 0, maxLength, minimum, maximum = Number.MAX_SAFE_INTEGER } = schema
  if (reference !== undefined) return `the id of a record of ${reference}`
  if (codes) return codes.join(' or ')
  if (items) return ''
  if (type?.includes('boolean')) return 'true or false'
  if (type?.includes('integer'))
    return maximum < Number.MAX_SAFE_INTEGER
      ? `a whole number from ${minimum} to ${maximum}`
      : `a whole number from ${minimum}`
  const known = formats[format ?? '']
  if (known) return known.form
  return minLength > 0 ? `${minLength} to ${maxLength} characters` : `up to ${maxLength} characters`
}

const formats: Readonly<Record<string, { readonly form: string; readonly example: string }>> = {
  date: { form: 'yyyy-MM-dd', example: '2027-01-31' },
  'idn-email': { form: 'an e-mail address', example: 'mary@example.com' },
  'date-time': { form: 'a time such as 2027-01-31T00:00:00.000Z', example: '2027-01-31T00:00:00.000Z' },
  uuid: { form: 'an id', example: exampleId },
}

/** True if the empty text is a value of the field. For other fields that can be null, an empty text means null. */
const acceptsEmptyText = ({ type, format, reference, items, minLength, ...schema }: Schema) =>
  type?.includes('string') === true &&
  format === undefined &&
  reference === undefined &&
  items === undefined &&
  schema['x-extensible-enum'] === undefined &&
  minLength === 0

/** The request body, from the flags on the command line. */
export const bodyOf = (flags: readonly Flag[], options: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    flags.flatMap(({ field, schema, option }) => {
      const value = option && options[option.attributeName()]
      return value === undefined ? [] : [[field, toJson(schema, value)] as const]
    }),
  )

/** The value as JSON. A text that is no whole number stays a text: the service refuses it with the reason. */
const toJson = (schema: Schema, value: unknown): unknown => {
  if (String(value) === '' && isNullable(schema) && !acceptsEmptyText(schema)) return null
  if (schema.type?.includes('boolean')) return value === 'true'
  return schema.type?.includes('integer') && /^-?\d+$/.test(String(value)) ? Number(value) : value
}

export const exampleOf = (flags: readonly Flag[]) =>
  flags
    .filter(({ isRequired }) => isRequired)
    .map(({ flag, schema }) => `${flag.startsWith('<') ? '' : `${flag} `}${exampleValue(schema)}`)
    .join(' ')

const exampleValue = (schema: Schema) => {
  const { example, reference, format, minimum, type } = schema
  if (example !== undefined) return JSON.stringify(example)
  if (reference !== undefined) return exampleId
  const [code] = choicesOf(schema)
  if (code !== undefined) return code
  if (type?.includes('integer')) return String(minimum)
  return formats[format ?? '']?.example ?? '"A text"'
}
