import { Command } from 'commander'
import { exitCodeOf, sentenceOf } from './exit.ts'
import { serveCommand } from './serve.ts'

/** Runs the command that the arguments name, and leaves its exit code with the process. */
export const run = async (argv: readonly string[]) => {
  const program = new Command('rollcall').description('A member registry and todo service.').exitOverride()
  program.addCommand(serveCommand().exitOverride())
  try {
    await program.parseAsync(argv)
  } catch (error) {
    const sentence = sentenceOf(error)
    if (sentence !== undefined) process.stderr.write(`rollcall: ${sentence}\n`)
    process.exitCode = exitCodeOf(error)
  }
}
