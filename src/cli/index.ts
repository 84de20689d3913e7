import { Command } from 'commander'
import type { Fields } from '#core/schema.ts'
import { settings } from '#src/config/settings.ts'
import { settingText } from '#src/config.ts'
import { version, versionAndCommit } from '#src/version.ts'
import { exitCodeOf, sentenceOf } from './exit.ts'
import { asFileError } from './files.ts'
import { escapeLines } from './output.ts'
import type { ResourceSpec } from './records.ts'
import { addSettingFlags, collectSettings } from './settings.ts'

/** Runs the command that the arguments name, and sets the exit code of the process. */
export const run = async (argv: readonly string[]) => {
  // A reader that stops early, such as `head`, is no failure: the exit code set so far stays.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    exitWith(asFileError('Standard output', 'written', error))
  })
  // If nobody reads standard error, its text is lost, but the command must not fail because of that.
  process.stderr.on('error', () => undefined)
  try {
    const rollcall = await program(argv.slice(2))
    await rollcall.parseAsync(argv)
  } catch (error) {
    exitWith(error)
  }
}

/** Prints the error's sentence, and ends the process with its exit code even if handles, such as a connection, are open. */
const exitWith = (error: unknown) => {
  const sentence = sentenceOf(error)
  process.exitCode = exitCodeOf(error)
  const text = sentence === undefined ? '' : `rollcall: ${escapeLines(sentence)}\n`
  process.stderr.write(text, () => process.exit())
}

/** The program with the command that the first argument names, or with all commands if it names none. */
export const program = async (args: readonly string[] = []): Promise<Command> => {
  const [name = ''] = args
  const rollcall = new Command('rollcall')
    .description('A member registry and todo service.')
    .version(isVersionFlag(name) ? versionAndCommit() : version)
    .addHelpText(
      'after',
      `
Resources of your own have commands too: name their module with --resources or RESOURCES.
Exit codes: 0 done, or stopped on request; 1 failed, or refused by the service; 2 wrong usage or
invalid setting; 3 the database or its storage cannot be used; 130 or 143 ended by Ctrl-C or SIGTERM.`,
    )
  for (const load of loadersFor(name)) for (const one of [await load(args)].flat()) rollcall.addCommand(one)
  overrideExits(rollcall)
  rollcall.configureOutput({
    outputError: (text, write) => write(withProgramName(text) + unknownCommandHint(text, args)),
  })
  return rollcall
}

const isVersionFlag = (name: string) => name === '--version' || name === '-V'

/** Makes one or more commands. Some depend on settings among the arguments. */
type Load = (args: readonly string[]) => Promise<Command | readonly Command[]>

/** One line per command, in the order of the help. The modules of a command are loaded only if it is named (decision 0033). */
const commands: Readonly<Record<string, Load>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  init: async () => (await import('./commands/init.ts')).initCommand(),
  config: async () => (await import('./commands/config.ts')).configCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  health: async () => (await import('./commands/health.ts')).healthCommand(),
  me: async () => (await import('./commands/me.ts')).meCommand(),
  member: async (args) =>
    (await import('./commands/member.ts')).memberCommand(await additionsTo('member', args)),
  todo: async (args) => (await import('./commands/todo.ts')).todoCommand(await additionsTo('todo', args)),
  key: async () => (await import('./commands/key.ts')).keyCommand(),
  webhook: async () => (await import('./commands/webhook.ts')).webhookCommand(),
  changes: async () => (await import('./commands/changes.ts')).changesCommand(),
  import: async (args) => (await import('./commands/import.ts')).importCommand(await resourcesFor(args)),
  export: async (args) => (await import('./commands/export.ts')).exportCommand(await resourcesFor(args)),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  backup: async () => (await import('./commands/backup.ts')).backupCommand(),
  restore: async () => (await import('./commands/restore.ts')).restoreCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  move: async () => (await import('./commands/move.ts')).moveCommand(),
  openapi: async () => (await import('./commands/openapi.ts')).openapiCommand(),
  completion: async () => (await import('./commands/completion.ts')).completionCommand(),
}

const loadersFor = (name: string): readonly Load[] => {
  if (isVersionFlag(name)) return []
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return named ? [named] : [...Object.values(commands), loadDeclared]
}

/** Loads the commands of the resources that the modules in RESOURCES declare. */
const loadDeclared: Load = async (args) => {
  const paths = resourceModulesIn(args)
  if (paths.length === 0) return []
  return (await import('./commands/declared.ts')).declaredCommands(paths)
}

/** The resources that can be imported and exported. */
const resourcesFor = async (args: readonly string[]) => {
  const { resourcesOf } = await import('#src/app/resources.ts')
  return resourcesOf({ RESOURCES: resourceModulesIn(args) })
}

/** The fields that the modules in RESOURCES add to a built-in resource, and their filters. */
const additionsTo = async (
  name: string,
  args: readonly string[],
): Promise<Pick<ResourceSpec, 'fields' | 'filters'>> => {
  const paths = resourceModulesIn(args)
  if (paths.length === 0) return { fields: {} }
  const [{ loadResources }, { fieldConditions, filterOf }] = await Promise.all([
    import('#src/app/resources.ts'),
    import('#resources/machine/filters.ts'),
  ])
  const added = (await loadResources(paths)).filter((one) => 'extends' in one && one.extends === name)
  const fields: Fields = Object.assign({}, ...added.map((one) => 'fields' in one && one.fields))
  return { fields, filters: filterOf(fieldConditions({ name, fields }, {}, 'UTC')) }
}

/** Reads only the setting RESOURCES, before the commands are made, because it decides which commands exist. */
const resourceModulesIn = (args: readonly string[]): readonly string[] => {
  const parser = addSettingFlags(new Command('rollcall'), ['RESOURCES', 'SETTINGS_FILE'])
  overrideExits(parser)
  parser.parseOptions([...args])
  return settings.RESOURCES.read(settingText('RESOURCES', collectSettings(parser)) ?? '') ?? []
}

const withProgramName = (text: string) => text.replace(/^error: /, 'rollcall: ')

/** The hint after an unknown command, which may belong to a resource whose module is not named. */
const unknownCommandHint = (text: string, args: readonly string[]) =>
  /^error: unknown command '[^']*'\n$/.test(text) && resourceModulesIn(args).length === 0
    ? 'If this is a command of a resource of your own, name its module with --resources or RESOURCES.\n'
    : ''

/** Makes commander throw its errors, so that `run` reports each in one sentence. */
const overrideExits = (command: Command) => {
  command.exitOverride()
  command.configureOutput({ outputError: (text, write) => write(withProgramName(text)) })
  for (const subcommand of command.commands) overrideExits(subcommand)
}
