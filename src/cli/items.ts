import { Command } from 'commander'
import { segmentOf } from '#client/collection.ts'
import { onService } from './service.ts'

export interface Json {
  readonly json?: true
}

/** What the commands for the items of one resource have in common. */
export const itemCommands = (name: string) => {
  /** A command that asks the API. */
  const named = (verb: string, description: string, example: string) =>
    onService(new Command(verb).description(description)).addHelpText(
      'after',
      `\nExample:\n  rollcall ${name} ${verb} ${example}`,
    )
  return {
    named,
    /** One that also shows what it found or made. */
    showing: (verb: string, description: string, example: string) =>
      named(verb, description, example).option('--json', `as JSON, one ${name} a line`),
    pathOf: (id: string) => `/${name}s/${segmentOf(id)}`,
  }
}
