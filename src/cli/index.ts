import { Command } from 'commander'
import { version, versionAndCommit } from '#src/version.ts'
import { commands } from './commands.ts'
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
    const words = argv.slice(2)
    const rollcall = await program(words[0])
    await rollcall.parseAsync(known(rollcall, words), { from: 'user' })
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
  for (const load of loadersFor(name)) rollcall.addCommand(await load(program))
  overrideExits(rollcall)
  return rollcall
}

const asksVersion = (name = '') => name === '--version' || name === '-V'

const loadersFor = (name = '') => {
  if (asksVersion(name)) return []
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return named ? [named] : Object.values(commands)
}

/** The words up to the first that names no command, for commander to refuse: next to `help` or `--help` it would overlook it. */
const known = (command: Command, words: readonly string[]): readonly string[] => {
  const [word, ...rest] = words
  if (command.commands.length === 0 || word === undefined || word.startsWith('-')) return words
  if (word === 'help') return known(command, [...rest, '--help'])
  const below = command.commands.find((one) => one.name() === word)
  return below ? [word, ...known(below, rest)] : [word]
}

/** Makes commander throw its errors, so that `run` reports each in one sentence. */
const overrideExits = (command: Command) => {
  command.exitOverride()
  command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'rollcall: ')) })
  for (const below of command.commands) overrideExits(below)
}
