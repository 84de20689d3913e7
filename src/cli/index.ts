import { Command } from 'commander'
import { version } from '#src/version.ts'
import { commands } from './commands.ts'
import { exitCodeOf, exitCodes, sentenceOf } from './exit.ts'
import { namingFile } from './named-files.ts'
import { visibleLines } from './output.ts'

/** Runs the command that the arguments name, and leaves its exit code with the process. */
export const run = async (argv: readonly string[]) => {
  // A reader that stops early, such as `head`, has what it wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done)
    end(namingFile('The standard output', 'written', error))
  })
  // Who does not read the standard error loses what is said there, and nothing else ends for that.
  process.stderr.on('error', () => undefined)
  try {
    const words = argv.slice(2)
    const rollcall = await program(words[0])
    await rollcall.parseAsync(known(rollcall, words), { from: 'user' })
  } catch (error) {
    end(error)
  }
}

/** With its sentence and exit code. What was opened on the way, such as a connection, must not hold a process that has failed. */
const end = (error: unknown) => {
  const sentence = sentenceOf(error)
  process.exitCode = exitCodeOf(error)
  const text = sentence === undefined ? '' : `rollcall: ${visibleLines(sentence)}\n`
  process.stderr.write(text, () => process.exit())
}

/** With the command of this name alone, or with all commands where none has that name. */
export const program = async (name?: string): Promise<Command> => {
  const rollcall = new Command('rollcall')
    .description('A member registry and todo service.')
    .version(version)
    .addHelpText(
      'after',
      `
Exit codes: 0 done or asked to stop, 1 failed or refused by the service, 2 wrong use or wrong
setting, 3 the data cannot be used.`,
    )
  const named = Object.hasOwn(commands, name ?? '') ? commands[name ?? ''] : undefined
  for (const load of named ? [named] : Object.values(commands)) rollcall.addCommand(await load(program))
  overrideExits(rollcall)
  return rollcall
}

/** The words up to one that names no command, which commander then refuses: beside `help` or `--help` it would overlook it. */
const known = (command: Command, words: readonly string[]): readonly string[] => {
  const [word, ...rest] = words
  if (command.commands.length === 0 || word === undefined || word.startsWith('-')) return words
  if (word === 'help') return known(command, [...rest, '--help'])
  const below = command.commands.find((one) => one.name() === word)
  return below ? [word, ...known(below, rest)] : [word]
}

/** Errors are thrown to `run`, and each is told in one sentence. */
const overrideExits = (command: Command) => {
  command.exitOverride()
  command.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'rollcall: ')) })
  for (const below of command.commands) overrideExits(below)
}
