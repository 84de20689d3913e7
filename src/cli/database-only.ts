import { type Command, Option } from 'commander'
import { WrongUse } from './exit.ts'

/** A command that has no running service to ask says so, instead of not knowing the flag (decision 0030). */
export const databaseOnly = (command: Command): Command =>
  command
    .addOption(new Option('--url <url>').hideHelp())
    .addHelpText(
      'after',
      '\nIt works on the database itself, never through a running service: there is no --url here.',
    )
    .hook('preAction', () => {
      if (command.getOptionValueSource('url') === 'cli')
        throw new WrongUse(`${command.name()} works on the database itself: leave --url out.`)
    })
