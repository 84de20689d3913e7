import { Command, InvalidArgumentError, Option } from 'commander'
import { type Answer, type Failure, RollcallError } from '#client/answer.ts'
import { type Rollcall, rollcall } from '#client/index.ts'
import { printLines } from './output.ts'
import { addUrl, connection, type Flags, failed, remoteOf, unexpectedAnswer } from './remote.ts'
import { configOf, onDatabase } from './settings.ts'
import { printTable } from './table.ts'

/** The API of a running service, or of one opened on a database for this command. */
export interface Service extends Rollcall {
  /** What the API answered. A refusal is thrown with its message and the flags that its fields come from. */
  value<T>(answer: Answer<T>, flags?: Flags): T
}

/** A command that uses the API, on a database or, with --url, of a running service. */
export const onService = (command: Command) => onDatabase(addUrl(command))

/** What a command does. One that adds may create the database; one that reads changes nothing in it. */
export type Manner = 'adds' | 'changes' | 'reads'

export type Work = (service: Service) => Promise<void>

export const withService = async (
  command: Command,
  work: Work,
  manner: Manner = 'changes',
): Promise<void> => {
  const remote = await remoteOf(command)
  if (!remote) return (await import('./own-service.ts')).withOwnService(configOf(command), work, manner)
  const client = rollcall(remote.base, connection(remote))
  const ended = working(client, work, (failure, flags) => failed(remote, failure, flags))
  // An answer from another program may lack any field that the work expects.
  return ended.catch((error) => {
    throw error instanceof TypeError ? unexpectedAnswer(remote, error.message) : error
  })
}

/** Gives a command its work, which gets the arguments and the flags. */
export const doing = <Given extends unknown[]>(
  command: Command,
  work: (service: Service, ...given: Given) => Promise<void>,
  manner?: Manner,
): Command =>
  command.action((...given: Given) => withService(command, (service) => work(service, ...given), manner))

/** Does the work; a failure of the API is thrown as the error that this makes of it. */
export const working = (
  client: Rollcall,
  work: Work,
  errorOf: (failure: Failure, flags?: Flags) => Error,
): Promise<void> => {
  const value = <A>(answer: Answer<A>, flags?: Flags): A => {
    if (answer.ok) return answer.value
    throw errorOf(answer, flags)
  }
  return work({ ...client, value }).catch((error) => {
    throw error instanceof RollcallError ? errorOf(error.failure) : error
  })
}

export interface Json {
  readonly json?: true
}

interface Listing extends Json {
  readonly limit?: number
}

/** What a command lists, and how. */
interface Listed<T> {
  readonly columns: readonly string[]
  row(item: T): readonly string[]
  /** The pages of the list; the other flags may say a filter. */
  pages(service: Service, size: number, flags: Flags): AsyncIterable<{ readonly content: readonly T[] }>
}

/** What the commands for one resource's items have in common. */
export const itemCommands = (name: string) => {
  /** A command that uses the API. */
  const named = (verb: string, description: string, example: string) =>
    onService(new Command(verb).description(description)).addHelpText(
      'after',
      `\nExample:\n  rollcall ${name} ${verb} ${example}`,
    )
  /** One that also shows what it found or created. */
  const showing = (verb: string, description: string, example: string) =>
    named(verb, description, example).option('--json', `show JSON, one ${name} per line`)
  const limit = new Option('--limit <number>', `show at most this many ${name}s`).argParser(limitOf)
  /** One that lists the items, as a table or as JSON. */
  const listing = <T extends object>(description: string, example: string, listed: Listed<T>) =>
    doing(
      showing('list', description, example).addOption(limit),
      async (service, { json, limit, ...flags }: Listing & Flags) => {
        const batches = upTo(limit, (size) => listed.pages(service, size, flags))
        if (json) await printLines(batches)
        else await printTable(listed.columns, batches, listed.row)
      },
      'reads',
    )
  const idOf = [`<${name}-id>`, `the id, as \`${name} list\` shows it`] as const
  return { named, showing, listing, idOf }
}

const limitOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

/** `firstName` is `--first-name`. */
export const flagOf = (field: string) =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

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
