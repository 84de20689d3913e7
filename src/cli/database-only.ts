import { type Command, Option } from 'commander'
import { UsageError } from './exit.ts'

/** Lets a command that cannot use a running service say so, instead of rejecting --url as an unknown flag (decision 0030). */
export const databaseOnly = (command: Command): Command =>
  command
    .addOption(new Option('--url <url>').hideHelp())
    .addHelpText(
      'after',
      '\nThis command works on the database itself, never through a running service, so it has no --url.',
    )
    .hook('preAction', () => {
      if (command.getOptionValueSource('url') === 'cli')
        throw new UsageError(`${command.name()} works on the database itself: leave --url out.`)
    })
