import { Command } from 'commander'
import { segmentOf } from '#client/collection.ts'
import { onService } from './service.ts'

export interface Json {
  readonly json?: true
}

/** What the commands for one resource's items have in common. */
export const itemCommands = (name: string) => {
  /** A command that uses the API. */
  const named = (verb: string, description: string, example: string) =>
    onService(new Command(verb).description(description)).addHelpText(
      'after',
      `\nExample:\n  rollcall ${name} ${verb} ${example}`,
    )
  return {
    named,
    /** One that also shows what it found or created. */
    showing: (verb: string, description: string, example: string) =>
      named(verb, description, example).option('--json', `show JSON, one ${name} per line`),
    pathOf: (id: string) => `/${name}s/${segmentOf(id)}`,
  }
}
