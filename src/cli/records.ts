import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Answer } from '#client/answer.ts'

import type { Fields } from '#core/schema.ts'
import { UsageError } from './exit.ts'
import { jsonLine, print, printLines, visible } from './output.ts'
import { bodyOf, exampleOf, flagsOf, freeFlag, type Given, oneMore } from './record-flags.ts'
import type { Flags } from './remote.ts'
import { doing, type Json, named, type Service, withService } from './service.ts'
import { printTable, table } from './table.ts'

export type Item = Readonly<Record<string, unknown>>

/** A resource, as its commands name and show it. */
interface Named {
  readonly name: string
  readonly plural: string
  /** Those that only the service writes have no flag. */
  readonly fields: Fields
  readonly given?: Readonly<Record<string, Given>>
  /** How a refusal names the flags that fill no field of their own. */
  readonly flagLabels?: Flags
  /** What the list can be filtered by. */
  readonly filters?: Readonly<Record<string, Filter>>
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

interface Filter {
  readonly description: string
  readonly schema?: { readonly type?: unknown; readonly enum?: readonly string[] }
}

/** The calls of a collection that commands make. */
interface Records {
  pages(query: object): AsyncIterable<{ readonly content: readonly Item[] }>
  get(id: string): Promise<Answer<Item>>
  create(body: object): Promise<Answer<Item>>
  patch(id: string, body: object): Promise<Answer<Item>>
  remove(id: string): Promise<Answer<undefined>>
  restore(id: string): Promise<Answer<Item>>
}

interface Listing extends Json {
  readonly limit?: number
  readonly sort?: readonly string[]
}

/** The commands that every resource has. */
export const recordCommands = (resource: Named) => {
  const { name, plural, filters = {}, columns, row, said } = resource
  const flags = flagsOf(resource)
  const labels = Object.fromEntries(flags.map(({ field, label }) => [field, label]))
  const flagLabels = { ...labels, ...resource.flagLabels }
  const idOf = [`<${name}-id>`, `the id, as \`${name} list\` shows it`] as const
  const one = resource.one ?? {
    argument: (command: Command) => command.argument(...idOf),
    idOf: async (_: Service, id = '') => id,
  }
  const recordsOf = (service: Service): Records => Reflect.get(service, plural)
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
      if (option) command.addOption(option.makeOptionMandatory(isRequired))
    return doing(
      command,
      async (service, ...given: unknown[]) => {
        const options = given.at(positional ? 1 : 0) as Flags & Json
        const first = positional && { [positional.field]: given[0] }
        const body = { ...first, ...bodyOf(flags, options), ...(await own(options)) }
        await tell(service.value(await recordsOf(service).create(body), flagLabels), options.json, 'Added')
      },
      'adds',
    )
  }

  /** Lists the items, as a table or as JSON. */
  const list = (description: string, example = '--json') => {
    const command = showing('list', description, example)
      .addOption(new Option('--limit <number>', `show at most this many ${plural}`).argParser(countOf))
      .option('--sort <field>', 'a field, or `field,desc`; may be given more than once', oneMore)
    const options = Object.entries(filters).map(([filter, { description, schema = {} }]) => {
      const { enum: codes, type } = schema
      const option = new Option(`${freeFlag(name, filter)} <value>`, description)
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
    for (const { option } of changeable) if (option) command.addOption(option)
    return command.action((id: string | undefined, options: Flags & Json) => {
      const body = bodyOf(changeable, options)
      if (Object.keys(body).length === 0)
        throw new UsageError(`There is nothing to change: give a field, such as ${changeable.at(-1)?.flag}.`)
      return withService(command, async (service) => {
        const answer = await recordsOf(service).patch(await one.idOf(service, id, options), body)
        await tell(service.value(answer, flagLabels), options.json, 'Changed')
      })
    })
  }

  const remove = (description: string, example = '01a1fdc8-…') =>
    doing(named(name, 'remove', description, example).argument(...idOf), async (service, id: string) =>
      service.value(await recordsOf(service).remove(id)),
    )

  const restore = () =>
    doing(
      showing('restore', `Bring back a removed ${name} from its history.`, '01a1fdc8-…').argument(...idOf),
      async (service, id: string, { json }: Json) =>
        tell(service.value(await recordsOf(service).restore(id)), json),
    )

  return { add, list, show, change, remove, restore, showing, idOf, tell, flagLabels, recordsOf }
}

/** A whole number from 1. */
export const countOf = (text: string): number => {
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
