import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import { collection } from '#client/collection.ts'
import type { Fields, Schema } from '#core/schema.ts'
import { UsageError } from './exit.ts'
import { jsonLine, print, printLines, visible } from './output.ts'
import type { Flags } from './remote.ts'
import { doing, flagOf, type Json, named, type Service, withService } from './service.ts'
import { printTable, table } from './table.ts'

export type Item = Readonly<Record<string, unknown>>

/** How a field is given, where that does not follow from its name and kind. */
interface Given {
  /** Another flag, or `<title>`: the first argument of `add`. */
  readonly flag?: string
  /** What may be given. */
  readonly form?: string
  /** What the help says instead. */
  readonly about?: string
}

/** A resource, as its commands name and show it. */
interface Named {
  readonly name: string
  readonly plural: string
  /** Those that only the service writes have no flag. */
  readonly fields: Fields
  readonly given?: Readonly<Record<string, Given>>
  /** How a refusal names what is no field. */
  readonly told?: Flags
  /** What the list can be filtered by. */
  readonly filters?: Readonly<Record<string, { readonly parameter: FilterParameter }>>
  readonly columns: readonly string[]
  row(item: Item): readonly string[]
  /** What is said of an item that was added or changed; by default its row. */
  said?(item: Item, done: 'Added' | 'Changed'): string
  /** How one item is named, if not by its id alone. */
  readonly one?: {
    argument(command: Command): Command
    idOf(service: Service, id: string | undefined, options: Flags): Promise<string>
  }
}

interface FilterParameter {
  readonly description: string
  readonly schema: { readonly type?: unknown; readonly enum?: readonly string[] }
}

/** The calls of a collection that commands make. */
interface Records {
  pages(query: object): AsyncIterable<{ readonly content: readonly Item[] }>
  get(id: string): Promise<Answer<Item>>
  create(body: object): Promise<Answer<Item>>
  patch(id: string, body: object): Promise<Answer<Item>>
  remove(id: string): Promise<Answer<undefined>>
}

interface Listing extends Json {
  readonly limit?: number
  readonly sort?: readonly string[]
}

/** The commands that every resource has. */
export const recordCommands = (resource: Named) => {
  const { name, plural, filters = {}, columns, row, said } = resource
  const flags = flagsOf(resource)
  const told = { ...Object.fromEntries(flags.map(({ field, told }) => [field, told])), ...resource.told }
  const idOf = [`<${name}-id>`, `the id, as \`${name} list\` shows it`] as const
  const one = resource.one ?? {
    argument: (command: Command) => command.argument(...idOf),
    idOf: async (_: Service, id = '') => id,
  }
  // A shipped resource may have a creation of its own, such as one that is not repeated.
  const recordsOf = (service: Service): Records =>
    (service as unknown as Readonly<Record<string, Records | undefined>>)[plural] ??
    (collection(service.call, `/${plural}`) as unknown as Records)
  /** A command that also shows what it found or made. */
  const showing = (verb: string, description: string, example: string) =>
    named(name, verb, description, example).option('--json', `show JSON, one ${name} per line`)
  const tell = (item: Item, json?: true, done?: 'Added' | 'Changed') =>
    print(json ? jsonLine(item) : done && said ? said(item, done) : table(columns, [row(item)]))

  const add = (
    description: string,
    example = exampleOf(flags),
    own: (options: Flags) => Promise<object> = async () => ({}),
  ) => {
    const command = showing('add', description, example)
    const positional = flags.find(({ flag }) => flag.startsWith('<'))
    if (positional) command.argument(positional.flag, positional.about)
    for (const { option, isRequired } of flags)
      if (option) command.addOption(option().makeOptionMandatory(isRequired))
    return doing(
      command,
      async (service, ...given: unknown[]) => {
        const options = given.at(positional ? 1 : 0) as Flags & Json
        const first = positional && { [positional.field]: given[0] }
        const body = { ...first, ...bodyOf(flags, options), ...(await own(options)) }
        await tell(service.value(await recordsOf(service).create(body), told), options.json, 'Added')
      },
      'adds',
    )
  }

  /** Lists the items, as a table or as JSON. */
  const list = (description: string, example = '--json') => {
    const command = showing('list', description, example)
      .addOption(new Option('--limit <number>', `show at most this many ${plural}`).argParser(limitOf))
      .option('--sort <field>', 'a field, or `field,desc`; may be given more than once', oneMore)
    const options = Object.entries(filters).map(([filter, { parameter }]) => {
      const { enum: codes, type } = parameter.schema
      const option = new Option(`${freeFlag(name, filter)} <value>`, parameter.description)
      if (codes ?? type === 'boolean') option.choices(codes ?? ['true', 'false'])
      command.addOption(option)
      return [filter, option.attributeName()] as const
    })
    return doing(
      command,
      async (service, given: Listing & Flags) => {
        const { json, limit, sort } = given
        const filter = Object.fromEntries(options.map(([filter, at]) => [filter, given[at]]))
        const batches = upTo(limit, (size) => recordsOf(service).pages({ ...filter, size, sort }))
        if (json) await printLines(batches)
        else await printTable(columns, batches, row)
      },
      'reads',
    )
  }

  const show = (description: string, example = '01a1fdc8-…') =>
    doing(
      one.argument(showing('show', description, example)),
      async (service, id: string | undefined, options: Flags & Json) => {
        const item = service.value(await recordsOf(service).get(await one.idOf(service, id, options)))
        const lines = JSON.stringify(item, undefined, options.json ? undefined : 2).split('\n')
        await print(lines.map(visible).join('\n'))
      },
      'reads',
    )

  const change = (description: string, example = `01a1fdc8-… ${exampleOf(flags.slice(0, 1))}`) => {
    const command = one.argument(showing('change', description, example))
    const changeable = flagsOf(resource, 'change')
    for (const { option } of changeable) if (option) command.addOption(option())
    return command.action((id: string | undefined, options: Flags & Json) => {
      const body = bodyOf(changeable, options)
      if (Object.keys(body).length === 0)
        throw new UsageError(`There is nothing to change: give a field, such as ${changeable.at(-1)?.flag}.`)
      return withService(command, async (service) => {
        const answer = await recordsOf(service).patch(await one.idOf(service, id, options), body)
        await tell(service.value(answer, told), options.json, 'Changed')
      })
    })
  }

  const remove = (description: string, example = '01a1fdc8-…') =>
    doing(named(name, 'remove', description, example).argument(...idOf), async (service, id: string) =>
      service.value(await recordsOf(service).remove(id)),
    )

  return { add, list, show, change, remove, showing, idOf, tell, told }
}

interface Keywords extends Schema {
  readonly reference?: string
  readonly codeList?: string
  readonly 'x-extensible-enum'?: readonly string[]
  readonly items?: Keywords
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly starting?: unknown
  readonly example?: unknown
}

interface Flag {
  readonly field: string
  readonly schema: Keywords
  /** `--first-name`, or `<title>`. */
  readonly flag: string
  readonly about: string
  /** How a refusal names the field. */
  readonly told: string
  readonly isRequired: boolean
  /** Absent of an argument. */
  readonly option?: () => Option
}

const flagsOf = ({ name, fields, given = {} }: Named, on: 'add' | 'change' = 'add'): readonly Flag[] =>
  Object.entries(fields as Readonly<Record<string, Keywords>>)
    .filter(([, schema]) => !('readOnly' in schema) && !(on === 'add' && 'always' in schema))
    .map(([field, schema]) => {
      const { form = formOf(schema), flag: own, about = form } = given[field] ?? {}
      const flag =
        on === 'change' && own?.startsWith('<') ? freeFlag(name, field) : (own ?? freeFlag(name, field))
      const choices = given[field]?.form === undefined ? choicesOf(schema) : []
      const isRequired = !isNullable(schema) && schema.starting === undefined
      const told = form === '' ? flag : `${flag} (${form})`
      const option = () => {
        const made = new Option(`${flag} <${flag.startsWith('--scope') ? 'scope' : 'text'}>`, about)
        if (choices.length > 0) made.choices(choices)
        return schema.items ? made.argParser(oneOf(choices)) : made
      }
      return { field, schema, flag, about, told, isRequired, ...(!flag.startsWith('<') && { option }) }
    })

const isNullable = ({ type }: Schema) => Array.isArray(type)

/** Flags that commands have besides those of the fields. */
const taken = new Set(
  ['url', 'user', 'token-file', 'database-url', 'resources', 'settings-file'].concat([
    'json',
    'limit',
    'sort',
    'help',
  ]),
)

/** The flag of a field; one that a command has already is preceded by the name of the resource. */
const freeFlag = (name: string, field: string) =>
  taken.has(flagOf(field).slice(2)) ? `${flagOf(name)}${flagOf(field).slice(1)}` : flagOf(field)

const oneMore = (text: string, before: readonly string[] = []) => [...before, text]

const oneOf =
  (choices: readonly string[]) =>
  (text: string, before: readonly string[] = []) => {
    if (choices.length === 0 || choices.includes(text)) return [...before, text]
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
  }

const choicesOf = (schema: Keywords): readonly string[] => {
  const { 'x-extensible-enum': codes, items, type } = schema
  if (items) return choicesOf(items)
  const choices = codes ?? (type?.includes('boolean') ? ['true', 'false'] : [])
  return choices.length > 0 && isNullable(schema) ? [...choices, ''] : choices
}

/** What a field accepts, in words. */
const formOf = (schema: Keywords): string => {
  const words = formOfKind(schema)
  return isNullable(schema) && words !== '' && !isEmptyText(schema) ? `${words}; "" for none` : words
}

const formOfKind = (schema: Keywords): string => {
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
  const known = forms[format ?? '']
  if (known !== undefined) return known
  return minLength > 0 ? `${minLength} to ${maxLength} characters` : `up to ${maxLength} characters`
}

const forms: Readonly<Record<string, string>> = {
  date: 'yyyy-MM-dd',
  'idn-email': 'an e-mail address',
  'date-time': 'a time such as 2027-01-31T00:00:00.000Z',
  uuid: 'an id',
}

/** A text of which nothing is a value of its own, and not the same as none. */
const isEmptyText = ({ type, format, reference, items, minLength, ...schema }: Keywords) =>
  type?.includes('string') === true &&
  format === undefined &&
  reference === undefined &&
  items === undefined &&
  schema['x-extensible-enum'] === undefined &&
  minLength === 0

/** The fields that the flags fill. */
const bodyOf = (flags: readonly Flag[], given: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    flags.flatMap(({ field, schema, option }) => {
      const value = option && given[option().attributeName()]
      return value === undefined ? [] : [[field, jsonOf(schema, value)] as const]
    }),
  )

/** What is no value of the kind is sent as it is: the service says what is wrong with it. */
const jsonOf = (schema: Keywords, given: unknown): unknown => {
  if (given === '' && isNullable(schema) && !isEmptyText(schema)) return null
  if (schema.type?.includes('boolean')) return given === 'true'
  return schema.type?.includes('integer') && /^-?\d+$/.test(String(given)) ? Number(given) : given
}

const exampleOf = (flags: readonly Flag[]) =>
  flags
    .filter(({ isRequired }) => isRequired)
    .map(({ flag, schema }) => `${flag.startsWith('<') ? '' : `${flag} `}${exampleValue(schema)}`)
    .join(' ')

const exampleValue = (schema: Keywords) => {
  const { example, reference, format, minimum, type } = schema
  if (example !== undefined) return JSON.stringify(example)
  if (reference !== undefined) return '01a1fdc8-…'
  const [code] = choicesOf(schema)
  if (code !== undefined) return code
  if (type?.includes('integer')) return String(minimum)
  return examples[format ?? ''] ?? '"A text"'
}

const examples: Readonly<Record<string, string>> = {
  date: '2027-01-31',
  'idn-email': 'mary@example.com',
  'date-time': '2027-01-31T00:00:00.000Z',
}

const limitOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

const maxPageSize = 100

/** The items of pages, up to so many. Nothing beyond the page with the last one is read. */
async function* upTo<T>(
  limit = Number.POSITIVE_INFINITY,
  pages: (size: number) => AsyncIterable<{ readonly content: readonly T[] }>,
): AsyncGenerator<readonly T[]> {
  let left = limit
  for await (const { content } of pages(Math.min(limit, maxPageSize))) {
    yield content.slice(0, left)
    left -= content.length
    if (left <= 0) return
  }
}
