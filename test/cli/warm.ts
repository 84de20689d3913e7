import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { rollcall as alone, type RunOptions, type RunResult } from '../operations/child.ts'
import { childEnvironment, projectRoot } from '../program.ts'

export interface Command extends Required<Pick<RunOptions, 'environment' | 'input' | 'cwd'>> {
  readonly args: readonly string[]
}

/** Processes that have loaded all commands, and run one at a time, by their user. */
const idle = new Map<number | undefined, ChildProcess[]>()

/** The cache of compiled code has an absolute path, because commands run in other folders. */
const env = { ...childEnvironment, NODE_COMPILE_CACHE: join(projectRoot, 'node_modules/.cache/compiled') }

/**
 * Runs one command to its end, in a process that has already run others: most of a short command's time is its start.
 * A command whose environment Node itself reads gets a process of its own.
 */
export const rollcall = async (args: readonly string[], options: RunOptions = {}): Promise<RunResult> => {
  const { environment = {}, input = '', cwd = process.cwd(), user } = options
  if (environment.NODE_OPTIONS || environment.TMPDIR) return alone(args, options)
  const mine = idle.getOrInsertComputed(user?.uid, () => [])
  const warm = mine.pop() ?? fork(join(import.meta.dirname, 'warm-process.ts'), { env, ...user })
  warm.ref()
  warm.channel?.ref()
  warm.send({ args, environment: { PATH: env.PATH ?? '', ...environment }, input, cwd } satisfies Command)
  const [ended] = await once(warm, 'message')
  warm.unref()
  warm.channel?.unref()
  mine.push(warm)
  return ended
}
