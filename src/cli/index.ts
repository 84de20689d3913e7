import { Command } from 'commander'
import { version, versionAndCommit } from '#src/version.ts'
import { exitCodeOf, sentenceOf } from './exit.ts'
import { namingFile } from './files.ts'
import { visibleLines } from './output.ts'

/** Runs the command that the arguments name, and sets the exit code of the process. */
export const run = async (argv: readonly string[]) => {
  // A reader that stops early, such as `head`, got what it wanted; what was found so far still decides the exit code.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    end(namingFile('Standard output', 'written', error))
  })
  // If nobody reads standard error, its text is lost, but the command must not fail because of that.
  process.stderr.on('error', () => undefined)
  try {
    const rollcall = await program(argv[2])
    await rollcall.parseAsync(argv)
  } catch (error) {
    end(error)
  }
}

/** Ends the process with the error's sentence and exit code. Open handles, such as a connection, must not keep a failed process alive. */
const end = (error: unknown) => {
  const sentence = sentenceOf(error)
  process.exitCode = exitCodeOf(error)
  const text = sentence === undefined ? '' : `rollcall: ${visibleLines(sentence)}\n`
  process.stderr.write(text, () => process.exit())
}

/** The program with what its first word needs: the command of that name, or all commands if there is none. */
export const program = async (name?: string): Promise<Command> => {
  const rollcall = new Command('rollcall')
    .description('A member registry and todo service.')
    .version(asksVersion(name) ? versionAndCommit() : version)
    .addHelpText(
      'after',
      `
Exit codes: 0 done, or stopped on request; 1 failed, or refused by the service; 2 wrong usage or
invalid setting; 3 the data cannot be used.`,
    )
  for (const load of loadersFor(name)) rollcall.addCommand(await load())
  overrideExits(rollcall)
  return rollcall
}

const asksVersion = (name = '') => name === '--version' || name === '-V'

/** One line per command, in the order of the help. A command's modules are loaded only when it is named (decision 0033). */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  config: async () => (await import('./commands/config.ts')).configCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  health: async () => (await import('./commands/health.ts')).healthCommand(),
  member: async () => (await import('./commands/member.ts')).memberCommand(),
  todo: async () => (await import('./commands/todo.ts')).todoCommand(),
  key: async () => (await import('./commands/key.ts')).keyCommand(),
  webhook: async () => (await import('./commands/webhook.ts')).webhookCommand(),
  changes: async () => (await import('./commands/changes.ts')).changesCommand(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  export: async () => (await import('./commands/export.ts')).exportCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  backup: async () => (await import('./commands/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/restore.ts')).restoreCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  move: async () => (await import('./commands/move.ts')).moveCommand(),
  openapi: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
}

const loadersFor = (name = '') => {
  if (asksVersion(name)) return []
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return named ? [named] : Object.values(commands)
}

/** Makes commander throw its errors, so that `run` reports each in one sentence. */
const overrideExits = (command: Command) => {
  command.exitOverride()
  command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'rollcall: ')) })
  for (const below of command.commands) overrideExits(below)
}
