import { Command, InvalidArgumentError, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Kind, Records } from '#client/records.ts'
import type { Fields } from '#core/schema.ts'
import { UsageError } from './exit.ts'
import { jsonLine, print, printJson, printLines } from './output.ts'
import {
  appendOne,
  bodyOf,
  exampleId,
  exampleOf,
  type FlagOverride,
  flagsOf,
  freeFlag,
} from './record-flags.ts'
import { historyCommand } from './record-history.ts'
import type { FlagByField } from './remote.ts'
import { apiAction, apiCommand, type JsonFlag, type Service, withService } from './service.ts'
import { printTable, table } from './table.ts'

export type Item = Readonly<Record<string, unknown>>

/** A resource, as its commands name and show it. */
export interface ResourceSpec {
  readonly name: string
  readonly plural: string
  /** The words for one record and for many in a sentence. Default: the name and the plural. */
  readonly nouns?: readonly [one: string, many: string]
  /** The fields. Those that only the service writes get no flag. */
  readonly fields: Fields
  readonly overrides?: Readonly<Record<string, FlagOverride>>
  /** Names for refusals of nested fields, by their paths. */
  readonly flagLabels?: FlagByField
  readonly filters?: Readonly<Record<string, Filter>>
  readonly columns: readonly string[]
  row(item: Item): readonly string[]
  /** The sentence about an item that was added or changed. Default: its row. */
  sentence?(item: Item, done: Outcome): string
  /** How a command names one item. Default: by its id. */
  readonly selector?: {
    argument(command: Command): Command
    idOf(service: Service, id: string | undefined, options: FlagByField): Promise<string>
  }
  /** A flag and a prompt of `add` that belong to no field. */
  readonly adding?: { readonly option: Option; body(options: FlagByField): Promise<object> }
  /** Examples in the help, by verb, in place of those that follow from the fields. */
  readonly examples?: Readonly<Record<string, string>>
  /** False if no history is kept, so that a removed item cannot be restored. */
  readonly hasHistory?: false
}

type Outcome = 'Added' | 'Changed'

interface Filter {
  readonly description: string
  readonly schema?: { readonly type?: unknown; readonly enum?: readonly string[] }
}

/** Only the service knows the fields of an item. */
interface AnyKind extends Kind {
  readonly item: Item
  readonly changed: Item
}

interface Listing extends JsonFlag {
  readonly limit?: number
  readonly sort?: readonly string[]
}

/** The command of a resource. Its own commands come after those of every resource, and may replace one of them. */
export const resourceCommand = (
  resource: ResourceSpec,
  own: (tools: ResourceTools) => readonly Command[] = () => [],
): Command => {
  const tools = toolsOf(resource)
  const further = own(tools)
  const isTaken = (verb: string) => further.some((command) => command.name() === verb)
  const common = commonCommands(resource, tools)
  const names = common.map((command) => command.name()).filter((name) => name !== 'history')
  const verbs = new Intl.ListFormat('en-GB').format(names)
  const example = (verb: string) => `  rollcall ${resource.name} ${verb} ${tools.exampleFor(verb)}`
  const command = new Command(resource.name)
    .description(`${verbs.replace(/^a/, 'A')} ${tools.many}.`)
    .addHelpText('after', `\nExamples:\n${['add', 'list'].map(example).join('\n')}`)
  for (const one of [...common.filter((one) => !isTaken(one.name())), ...further]) command.addCommand(one)
  return command
}

export type ResourceTools = ReturnType<typeof toolsOf>

/** The flags, sentences and builders that all commands of one resource use. */
const toolsOf = (resource: ResourceSpec) => {
  const { name, plural, columns, row, sentence } = resource
  const { selector = byId(name), nouns: [one, many] = [`a ${name}`, plural] } = resource
  const flags = flagsOf(resource)
  const labels = Object.fromEntries(flags.map(({ field, label }) => [field, label]))
  const flagLabels = { ...labels, ...resource.flagLabels }
  const examples = new Map(
    Object.entries({
      ...{ add: exampleOf(flags), list: '--json', change: `${exampleId} ${exampleOf(flags.slice(0, 1))}` },
      ...resource.examples,
    }),
  )
  const exampleFor = (verb: string) => examples.get(verb) ?? exampleId
  const command = (verb: string, description: string) => apiCommand(name, verb, description, exampleFor(verb))
  const showing = (verb: string, description: string) =>
    command(verb, description).option('--json', `show JSON, one ${name} per line`)
  const tell = (item: Item, json?: true, done?: Outcome) =>
    print(json ? jsonLine(item) : done && sentence ? sentence(item, done) : table(columns, [row(item)]))
  const recordsOf = (service: Service): Records<AnyKind> => Reflect.get(service, plural)
  /** A command that changes one item and shows it afterwards. */
  const action = (verb: string, description: string, does: Action, done?: Outcome) =>
    apiAction(byId(name).argument(showing(verb, description)), async (service, ...given: unknown[]) => {
      const words = given.filter((word) => typeof word === 'string')
      const [id = '', ...more] = words
      const item = service.value(await does(service, id, ...more), flagLabels)
      await tell(item as Item, (given[words.length] as JsonFlag).json, done)
    })
  return {
    ...{ flags, flagLabels, one, many, selector, exampleFor },
    command,
    showing,
    tell,
    recordsOf,
    action,
  }
}

type Action = (service: Service, id: string, ...words: readonly string[]) => Promise<Answer<object>>

const byId = (name: string) => ({
  argument: (command: Command) => command.argument(`<${name}-id>`, `the id, as \`${name} list\` shows it`),
  idOf: async (_: Service, id = '') => id,
})

/** The commands that every resource has. */
const commonCommands = (resource: ResourceSpec, tools: ResourceTools): readonly Command[] => {
  const { one, selector, command, showing, recordsOf, action } = tools
  const show = selector.argument(showing('show', `Show ${one} in full.`))
  const remove = selector.argument(command('remove', `Remove ${one}.`))
  const restored = `Bring back a removed ${resource.name} from its history.`
  const restore = action('restore', restored, (service, id) => recordsOf(service).restore(id))
  return [
    addCommand(resource, tools),
    listCommand(resource, tools),
    apiAction(
      show,
      async (service, given: string | undefined, options: FlagByField & JsonFlag) => {
        const id = await selector.idOf(service, given, options)
        await printJson(service.value(await recordsOf(service).get(id)), options.json)
      },
      'reads',
    ),
    changeCommand(resource, tools),
    apiAction(remove, async (service, given: string | undefined, options: FlagByField) =>
      service.value(await recordsOf(service).remove(await selector.idOf(service, given, options))),
    ),
    ...(resource.hasHistory === false ? [] : [historyCommand(tools), restore]),
  ]
}

const addCommand = (
  { adding }: ResourceSpec,
  { flags, flagLabels, showing, tell, recordsOf, one }: ResourceTools,
) => {
  const command = showing('add', `Add ${one}.`)
  const positional = flags.find(({ flag }) => flag.startsWith('<'))
  if (positional) command.argument(positional.flag, positional.about)
  for (const { option, isRequired } of flags)
    if (option) command.addOption(option.makeOptionMandatory(isRequired))
  if (adding) command.addOption(adding.option)
  return apiAction(
    command,
    async (service, ...given: unknown[]) => {
      const options = given.at(positional ? 1 : 0) as FlagByField & JsonFlag
      const first = positional && { [positional.field]: given[0] }
      const body = { ...first, ...bodyOf(flags, options), ...(await adding?.body(options)) }
      await tell(service.value(await recordsOf(service).create(body), flagLabels), options.json, 'Added')
    },
    'adds',
  )
}

const listCommand = ({ name, plural, filters = {}, columns, row }: ResourceSpec, tools: ResourceTools) => {
  const command = tools
    .showing('list', `List ${tools.many} in order of creation.`)
    .addOption(new Option('--limit <number>', `show at most this many ${plural}`).argParser(countOf))
    .option('--sort <field>', 'a field, or `field,desc`; may be given more than once', appendOne)
  const options = Object.entries(filters).map(([filter, { description, schema = {} }]) => {
    const { enum: codes, type } = schema
    const option = new Option(`${freeFlag(name, filter)} <value>`, description)
    if (codes ?? type === 'boolean') option.choices(codes ?? ['true', 'false'])
    command.addOption(option)
    return [filter, option.attributeName()] as const
  })
  return apiAction(
    command,
    async (service, given: Listing & FlagByField) => {
      const { json, limit, sort } = given
      const filter = Object.fromEntries(options.map(([filter, at]) => [filter, given[at]]))
      const batches = limited(limit, (size) => tools.recordsOf(service).pages({ ...filter, size, sort }))
      if (json) await printLines(batches)
      else await printTable(columns, batches, row)
    },
    'reads',
  )
}

const changeCommand = (
  resource: ResourceSpec,
  { one, selector, showing, recordsOf, tell, flagLabels }: ResourceTools,
) => {
  const command = selector.argument(showing('change', `Change fields of ${one}.`))
  const flags = flagsOf(resource, 'change')
  for (const { option } of flags) if (option) command.addOption(option)
  return command.action((id: string | undefined, options: FlagByField & JsonFlag) => {
    const body = bodyOf(flags, options)
    if (Object.keys(body).length === 0)
      throw new UsageError(`There is nothing to change: give a field, such as ${flags.at(-1)?.flag}.`)
    return withService(command, async (service) => {
      const answer = await recordsOf(service).patch(await selector.idOf(service, id, options), body)
      await tell(service.value(answer, flagLabels), options.json, 'Changed')
    })
  })
}

/** A whole number from 1. */
export const countOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

const maxPageSize = 100

/** At most `limit` items, in batches. Reads no more pages than needed. */
async function* limited<T>(
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
