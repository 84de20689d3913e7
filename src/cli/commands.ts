import { type Command, Option } from 'commander'
import { UsageError } from './exit.ts'

/** Loads all commands. */
export type WholeProgram = () => Promise<Command>

type Loader = (program: WholeProgram) => Promise<Command>

/** One line per command, in the order of the help. A command's modules are loaded only when it is named (decision 0033). */
export const commands: Readonly<Record<string, Loader>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  config: async () => (await import('./commands/config.ts')).configCommand(),
  doctor: async () => databaseOnly((await import('./commands/doctor.ts')).doctorCommand()),
  health: async () => (await import('./commands/health.ts')).healthCommand(),
  member: async () => (await import('./commands/member.ts')).memberCommand(),
  todo: async () => (await import('./commands/todo.ts')).todoCommand(),
  changes: async () => (await import('./commands/changes.ts')).changesCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  export: async () => (await import('./commands/export.ts')).exportCommand(),
  migrate: async () => databaseOnly((await import('./commands/migrate.ts')).migrateCommand()),
  backup: async () => databaseOnly((await import('./commands/backup.ts')).backupCommand()),
  restore: async () => databaseOnly((await import('./commands/restore.ts')).restoreCommand()),
  verify: async () => databaseOnly((await import('./commands/verify.ts')).verifyCommand()),
  move: async () => databaseOnly((await import('./commands/move.ts')).moveCommand()),
  openapi: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  completion: async (program) => (await import('./commands/completion.ts')).completionCommand(program),
}

/** Lets a command that cannot use a running service say so, instead of rejecting --url as an unknown flag (decision 0030). */
const databaseOnly = (command: Command): Command =>
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
