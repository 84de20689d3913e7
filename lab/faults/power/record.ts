import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { childrenOf } from '../../../test/processes.ts'
import { straceArguments } from './trace.ts'

export const hasStrace = () => spawnSync('strace', ['--version']).status === 0

export interface Recording {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** Ends the program, not strace, so that the trace is complete. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Runs one of our programs under strace. Its stdout is a pipe, so that writes to it count as output. */
export const record = (
  traceFile: string,
  program: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Recording => {
  const child = spawn('strace', [...straceArguments(traceFile), process.execPath, ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  const gone = once(child, 'exit')
  return {
    child,
    async stop(signal = 'SIGKILL') {
      const traced = childrenOf(child.pid)
      for (const pid of traced) process.kill(pid, signal)
      await gone
    },
  }
}

export const untilExit = async ({ child }: Recording) => {
  child.stdout.resume()
  let said = ''
  child.stderr.on('data', (bytes) => {
    said += bytes
  })
  if (child.exitCode === null) await once(child, 'exit')
  if (child.exitCode !== 0) throw new Error(`the traced program ended with ${child.exitCode}: ${said}`)
}
