import { Command, InvalidArgumentError, Option } from 'commander'
import { segmentOf } from '#client/collection.ts'
import { onService } from './service.ts'

export interface Json {
  readonly json?: true
}

/** What the commands that list items accept, besides a filter. */
export interface Listing extends Json {
  readonly limit?: number
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
  return {
    named,
    showing,
    listing: (description: string, example: string) =>
      showing('list', description, example).addOption(
        new Option('--limit <number>', `show at most this many ${name}s`).argParser(limitOf),
      ),
    pathOf: (id: string) => `/${name}s/${segmentOf(id)}`,
  }
}

const limitOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1.')
}
