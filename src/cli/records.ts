import { Command, InvalidArgumentError, Option } from 'commander'
import type { Answer } from '#client/answer.ts'
import type { Kind, Records } from '#client/records.ts'
import type { Fields } from '#core/schema.ts'
import { UsageError } from './exit.ts'
import { jsonLine, print, printJson, printJsonLines } from './output.ts'
import { append, bodyOf, exampleId, exampleOf, type FlagOverride, flagsOf, toFlag } from './record-flags.ts'
import { historyCommand } from './record-history.ts'
import type { FlagByField } from './remote.ts'
import { apiAction, apiCommand, type JsonFlag, type Service, withService } from './service.ts'
import { printTable, table } from './table.ts'

export type Item = Readonly<Record<string, unknown>>

/** A resource, as its commands name and show it. */
export interface ResourceSpec {
  readonly name: string
  readonly plural: string
  /** The words for one record (with its article) and for many in a sentence. Default: the name and the plural. */
  readonly nouns?: readonly [aRecord: string, records: string]
  /** The fields. Those that only the service writes get no flag. */
  readonly fields: Fields
  readonly overrides?: Readonly<Record<string, FlagOverride>>
  /** The flags of nested fields by their paths, for refusals. */
  readonly flagLabels?: FlagByField
  readonly filters?: Readonly<Record<string, Filter>>
  readonly columns: readonly string[]
  row(item: Item): readonly string[]
  /** The sentence that confirms an added or changed item. Default: the row of the item. */
  sentence?(item: Item, outcome: Outcome): string
  /** The argument and flags that name one item. Default: its id. */
  readonly selector?: {
    argument(command: Command): Command
    idOf(service: Service, id: string | undefined, options: FlagByField): Promise<string>
  }
  /** A flag of `add` that belongs to no field, and the part of the body that it fills. */
  readonly extraInput?: { readonly option: Option; body(options: FlagByField): Promise<object> }
  /** Examples for the help, by verb. They replace those made from the fields. */
  readonly examples?: Readonly<Record<string, string>>
  /** False if the log keeps no earlier versions of an item, so that a removed item cannot be restored. */
  readonly hasHistory?: false
}

type Outcome = 'Added' | 'Changed'

interface Filter {
  readonly description: string
  readonly schema?: { readonly type?: unknown; readonly enum?: readonly string[] }
}

/** The client's types for a resource whose fields are unknown here. */
interface AnyKind extends Kind {
  readonly item: Item
  readonly changed: Item
}

interface ListFlags extends JsonFlag {
  readonly limit?: number
  readonly sort?: readonly string[]
}

/** The command of a resource. Its own subcommands follow the common ones, and replace those of the same name. */
export const resourceCommand = (
  resource: ResourceSpec,
  makeOwnCommands: (tools: ResourceTools) => readonly Command[] = () => [],
): Command => {
  const tools = toolsOf(resource)
  const ownCommands = makeOwnCommands(tools)
  const isReplaced = (verb: string) => ownCommands.some((command) => command.name() === verb)
  const common = commonCommands(resource, tools)
  const names = common.map((command) => command.name()).filter((name) => name !== 'history')
  const verbs = new Intl.ListFormat('en-GB').format(names)
  const example = (verb: string) => `  rollcall ${resource.name} ${verb} ${tools.exampleFor(verb)}`
  const command = new Command(resource.name)
    .description(`${verbs.replace(/^a/, 'A')} ${tools.records}.`)
    .addHelpText('after', `\nExamples:\n${['add', 'list'].map(example).join('\n')}`)
  const remaining = common.filter((one) => !isReplaced(one.name()))
  for (const subcommand of [...remaining, ...ownCommands]) command.addCommand(subcommand)
  return command
}

export type ResourceTools = ReturnType<typeof toolsOf>

/** The flags, sentences and builders that all commands of one resource use. */
const toolsOf = (resource: ResourceSpec) => {
  const { name, plural, columns, row, sentence } = resource
  const { selector = byId(name), nouns: [aRecord, records] = [`a ${name}`, plural] } = resource
  const flags = flagsOf(resource)
  const labels = Object.fromEntries(flags.map(({ field, label }) => [field, label]))
  const flagLabels = { ...labels, ...resource.flagLabels }
  const argumentLabels = Object.fromEntries(Object.entries(labels).filter(([, text]) => text.startsWith('<')))
  const examples = new Map(
    Object.entries({
      add: exampleOf(flags),
      list: '--json',
      change: `${exampleId} ${exampleOf(flags.slice(0, 1))}`,
      ...resource.examples,
    }),
  )
  const exampleFor = (verb: string) => examples.get(verb) ?? exampleId
  const plainCommand = (verb: string, description: string) =>
    apiCommand(name, verb, description, exampleFor(verb))
  const jsonCommand = (verb: string, description: string) =>
    plainCommand(verb, description).option('--json', `show JSON, one ${name} per line`)
  const printItem = (item: Item, json?: true, outcome?: Outcome) =>
    print(json ? jsonLine(item) : outcome && sentence ? sentence(item, outcome) : table(columns, [row(item)]))
  const recordsOf = (service: Service): Records<AnyKind> => Reflect.get(service, plural)
  /** A command that sends a request about one item and shows the changed item. */
  const itemCommand = (verb: string, description: string, request: ItemRequest, outcome?: Outcome) =>
    apiAction(byId(name).argument(jsonCommand(verb, description)), async (service, ...args: unknown[]) => {
      const texts = args.filter((word) => typeof word === 'string')
      const [id = '', ...more] = texts
      const item = service.value(await request(service, id, ...more), argumentLabels)
      await printItem(item as Item, (args[texts.length] as JsonFlag).json, outcome)
    })
  return {
    flags,
    flagLabels,
    aRecord,
    records,
    selector,
    exampleFor,
    plainCommand,
    jsonCommand,
    printItem,
    recordsOf,
    itemCommand,
  }
}

type ItemRequest = (service: Service, id: string, ...texts: readonly string[]) => Promise<Answer<object>>

const byId = (name: string) => ({
  argument: (command: Command) => command.argument(`<${name}-id>`, `the id, as \`${name} list\` shows it`),
  idOf: async (_: Service, id = '') => id,
})

const commonCommands = (resource: ResourceSpec, tools: ResourceTools): readonly Command[] => {
  const { aRecord, selector, plainCommand, jsonCommand, recordsOf, itemCommand } = tools
  const show = selector.argument(jsonCommand('show', `Show ${aRecord} in full.`))
  const remove = selector.argument(plainCommand('remove', `Remove ${aRecord}.`))
  const restoreHelp = `Bring back a removed ${resource.name} from its history.`
  const restore = itemCommand('restore', restoreHelp, (service, id) => recordsOf(service).restore(id))
  return [
    addCommand(resource, tools),
    listCommand(resource, tools),
    apiAction(
      show,
      async (service, idArgument: string | undefined, options: FlagByField & JsonFlag) => {
        const id = await selector.idOf(service, idArgument, options)
        await printJson(service.value(await recordsOf(service).get(id)), options.json)
      },
      'readOnly',
    ),
    changeCommand(resource, tools),
    apiAction(remove, async (service, idArgument: string | undefined, options: FlagByField) =>
      service.value(await recordsOf(service).remove(await selector.idOf(service, idArgument, options))),
    ),
    ...(resource.hasHistory === false ? [] : [historyCommand(tools), restore]),
  ]
}

const addCommand = (
  { extraInput }: ResourceSpec,
  { flags, flagLabels, jsonCommand, printItem, recordsOf, aRecord }: ResourceTools,
) => {
  const command = jsonCommand('add', `Add ${aRecord}.`)
  const positional = flags.find(({ flag }) => flag.startsWith('<'))
  if (positional) command.argument(positional.flag, positional.about)
  for (const { option, isRequired } of flags)
    if (option) command.addOption(option.makeOptionMandatory(isRequired))
  if (extraInput) command.addOption(extraInput.option)
  return apiAction(
    command,
    async (service, ...args: unknown[]) => {
      const options = args.at(positional ? 1 : 0) as FlagByField & JsonFlag
      const argument = positional && { [positional.field]: args[0] }
      const body = { ...argument, ...bodyOf(flags, options), ...(await extraInput?.body(options)) }
      await printItem(service.value(await recordsOf(service).create(body), flagLabels), options.json, 'Added')
    },
    'mayCreate',
  )
}

const listCommand = ({ name, plural, filters = {}, columns, row }: ResourceSpec, tools: ResourceTools) => {
  const command = tools
    .jsonCommand('list', `List ${tools.records} in order of creation.`)
    .addOption(new Option('--limit <number>', `show at most this many ${plural}`).argParser(parseCount))
    .option('--sort <field>', 'a field, or `field,desc`; may be given more than once', append)
  const attributes = Object.entries(filters).map(([filter, { description, schema = {} }]) => {
    const { enum: codes, type } = schema
    const option = toFlag(name, filter, description)
    if (codes ?? type === 'boolean') option.choices(codes ?? ['true', 'false'])
    command.addOption(option)
    return [filter, option.attributeName()] as const
  })
  return apiAction(
    command,
    async (service, flags: ListFlags & FlagByField) => {
      const { json, limit, sort } = flags
      const filter = Object.fromEntries(attributes.map(([name, attribute]) => [name, flags[attribute]]))
      const batches = takeItems(limit, (size) => tools.recordsOf(service).pages({ ...filter, size, sort }))
      if (json) await printJsonLines(batches)
      else await printTable(columns, batches, row)
    },
    'readOnly',
  )
}

const changeCommand = (
  resource: ResourceSpec,
  { aRecord, selector, jsonCommand, recordsOf, printItem }: ResourceTools,
) => {
  const command = selector.argument(jsonCommand('change', `Change fields of ${aRecord}.`))
  const flags = flagsOf(resource, 'change')
  const labels = Object.fromEntries(flags.map(({ field, label }) => [field, label]))
  for (const { option } of flags) if (option) command.addOption(option)
  return command.action((id: string | undefined, options: FlagByField & JsonFlag) => {
    const body = bodyOf(flags, options)
    if (Object.keys(body).length === 0)
      throw new UsageError(`There is nothing to change: give a field, such as ${flags.at(-1)?.flag}.`)
    return withService(command, async (service) => {
      const answer = await recordsOf(service).patch(await selector.idOf(service, id, options), body)
      await printItem(service.value(answer, { ...labels, ...resource.flagLabels }), options.json, 'Changed')
    })
  })
}

/** A whole number from 1. */
export const parseCount = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

const maxPageSize = 100

/** At most `limit` items, in batches. Reads no more pages than needed. */
async function* takeItems<T>(
  limit = Number.POSITIVE_INFINITY,
  pages: (size: number) => AsyncIterable<{ readonly content: readonly T[] }>,
): AsyncGenerator<readonly T[]> {
  let remaining = limit
  for await (const { content } of pages(Math.min(limit, maxPageSize))) {
    yield content.slice(0, remaining)
    remaining -= content.length
    if (remaining <= 0) return
  }
}
