import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Injection {
  readonly failures: readonly Failure[]
  /** Only calls on these files. */
  readonly paths: readonly string[]
  /** Where strace writes what it did. */
  readonly trace?: string
}

interface Failure {
  readonly calls: string
  /** For example ENOSPC. */
  readonly error: string
  /** Only this one, counted from 1 for each thread; by default all of them. */
  readonly nth?: number
}

/** Makes the kernel fail these calls of a running process until stopped. */
export const inject = async (pid: number, { failures, paths, trace = '/dev/null' }: Injection) => {
  const files = paths.flatMap((path) => ['-P', path])
  const traced = ['-e', `trace=${failures.map(({ calls }) => calls).join(',')}`]
  const faults = failures.flatMap(({ calls, error, nth }) => [
    '-e',
    `inject=${calls}:error=${error}${nth === undefined ? '' : `:when=${nth}`}`,
  ])
  const strace = spawn('strace', ['-f', '-p', String(pid), ...files, ...traced, ...faults, '-o', trace], {
    stdio: 'pipe',
  })
  const gone = once(strace, 'exit')
  await once(strace.stderr, 'data')
  await sleep(100)
  return {
    async stop() {
      strace.kill('SIGINT')
      await gone
    },
  }
}

export const needsStrace = () =>
  spawnSync('strace', ['--version']).status === 0 ? undefined : 'strace is not installed'
