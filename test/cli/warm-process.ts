import { PassThrough } from 'node:stream'
import { run } from '#src/cli/index.ts'
import type { RunResult } from '../operations/child.ts'
import type { Command } from './warm.ts'

/** Runs each received command as if it were the only command of its process. */
process.on('message', async ({ args, environment, input, cwd }: Command) => {
  process.env = { ...environment }
  process.exitCode = 0
  process.chdir(cwd)
  const [out, err] = [collected(stream('stdout')), collected(stream('stderr'))]
  stream('stdin').end(input)
  const exit = Promise.withResolvers<void>()
  process.exit = (() => exit.resolve()) as typeof process.exit
  await Promise.race([run(['node', 'rollcall', ...args]), exit.promise])
  const ended: RunResult = { code: Number(process.exitCode), out: out(), err: err() }
  process.send?.(ended)
})

/** Replaces a standard stream of the process. */
const stream = (name: 'stdin' | 'stdout' | 'stderr') => {
  const value = new PassThrough()
  Object.defineProperty(process, name, { value, configurable: true })
  return value
}

const collected = (stream: PassThrough) => {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return () => text
}
