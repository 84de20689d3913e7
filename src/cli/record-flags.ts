import { InvalidArgumentError, Option } from 'commander'
import { type Fields, isNullable, type Schema, startingOf } from '#core/schema.ts'
import { fieldFlag } from './service.ts'

/** The flag of a field, if it cannot be derived from the name and kind of the field. */
export interface FlagOverride {
  /** Another flag, or `<title>`: the first argument of `add`. */
  readonly flag?: string
  /** The form of its value in the help, such as `<yyyy-mm-dd>`. */
  readonly form?: string
  /** The text in the help. Default: the form of the value. */
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
  /** The flag and its form, for a refusal. */
  readonly label: string
  readonly isRequired: boolean
  /** Absent if the field is given as an argument. */
  readonly option?: Option
}

export const flagsOf = (
  { name, fields, overrides = {} }: FlagSource,
  on: 'add' | 'change' = 'add',
): readonly Flag[] =>
  Object.entries(fields)
    .filter(([, schema]) => !('readOnly' in schema) && !(on === 'add' && 'always' in schema))
    .map(([field, schema]) => {
      const { form = formOf(schema), flag: own, about = form } = overrides[field] ?? {}
      const flag =
        on === 'change' && own?.startsWith('<') ? freeFlag(name, field) : (own ?? freeFlag(name, field))
      const choices = overrides[field]?.form === undefined ? choicesOf(schema) : []
      const isRequired = !isNullable(schema) && startingOf(schema) === undefined
      const label = form === '' ? flag : `${flag} (${form})`
      const parts = { field, schema, flag, about, label, isRequired }
      if (flag.startsWith('<')) return parts
      const option = new Option(`${flag} <${flag.startsWith('--scope') ? 'scope' : 'text'}>`, about)
      if (choices.length > 0) option.choices(choices)
      return { ...parts, option: schema.items ? option.argParser(appendChoice(choices)) : option }
    })

/** Flags that commands have besides those of the fields. */
const reservedFlags =
  '--url --user --token-file --database-url --resources --settings-file --json --limit --sort --help'

/** The flag of a field. If every command has that flag already, the name of the resource precedes it. */
export const freeFlag = (name: string, field: string) => {
  const flag = fieldFlag(field)
  return reservedFlags.split(' ').includes(flag) ? fieldFlag(name) + flag.slice(1) : flag
}

export const appendOne = (text: string, before: readonly string[] = []) => [...before, text]

const appendChoice =
  (choices: readonly string[]) =>
  (text: string, before: readonly string[] = []) => {
    if (choices.length === 0 || choices.includes(text)) return [...before, text]
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }

const choicesOf = (schema: Schema): readonly string[] => {
  const { 'x-extensible-enum': codes, items, type } = schema
  if (items) return choicesOf(items)
  const choices = codes ?? (type?.includes('boolean') ? ['true', 'false'] : [])
  return choices.length > 0 && isNullable(schema) ? [...choices, ''] : choices
}

const formOf = (schema: Schema): string => {
  const words = formOfKind(schema)
  return isNullable(schema) && words !== '' && !mayBeEmpty(schema) ? `${words}; "" for none` : words
}

const formOfKind = (schema: Schema): string => {
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
  const described = formats[format ?? '']
  if (described) return described.form
  return minLength > 0 ? `${minLength} to ${maxLength} characters` : `up to ${maxLength} characters`
}

const formats: Readonly<Record<string, { readonly form: string; readonly example: string }>> = {
  date: { form: 'yyyy-MM-dd', example: '2027-01-31' },
  'idn-email': { form: 'an e-mail address', example: 'mary@example.com' },
  'date-time': { form: 'a time such as 2027-01-31T00:00:00.000Z', example: '2027-01-31T00:00:00.000Z' },
  uuid: { form: 'an id', example: exampleId },
}

/** Whether an empty text is a value of the field, so that it cannot stand for null. */
const mayBeEmpty = ({ type, format, reference, items, minLength, ...schema }: Schema) =>
  type?.includes('string') === true &&
  format === undefined &&
  reference === undefined &&
  items === undefined &&
  schema['x-extensible-enum'] === undefined &&
  minLength === 0

/** The body of a request, from the flags that were given. */
export const bodyOf = (flags: readonly Flag[], given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    flags.flatMap(({ field, schema, option }) => {
      const value = option && given[option.attributeName()]
      return value === undefined ? [] : [[field, jsonOf(schema, value)] as const]
    }),
  )

/** Text that is no whole number is sent unchanged, so that the service refuses it with the reason. */
const jsonOf = (schema: Schema, given: unknown): unknown => {
  if (String(given) === '' && isNullable(schema) && !mayBeEmpty(schema)) return null
  if (schema.type?.includes('boolean')) return given === 'true'
  return schema.type?.includes('integer') && /^-?\d+$/.test(String(given)) ? Number(given) : given
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
