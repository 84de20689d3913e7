import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Injection {
  readonly calls: string
  /** For example ENOSPC. */
  readonly error: string
  /** Only calls on these files. */
  readonly paths: readonly string[]
}

/** Makes the kernel fail these calls of a running process until stopped. */
export const inject = async (pid: number, { calls, error, paths }: Injection) => {
  const files = paths.flatMap((path) => ['-P', path])
  const fault = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=${error}`]
  const strace = spawn('strace', ['-f', '-p', String(pid), ...files, ...fault, '-o', '/dev/null'], {
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

export const needsRoot = () => (process.getuid?.() === 0 ? undefined : 'only root may mount')
