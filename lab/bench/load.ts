import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnOn } from './server.ts'
import { wrkScript } from './wrk-script.ts'

export interface RequestSpec {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly origin: string
  /** Sent in turn, over and over. */
  readonly specs: readonly RequestSpec[]
  readonly connections: number
  /** Where the load runs; the second core when absent, `any` leaves it to the system. */
  readonly core?: number | 'any'
}

/** A load that is running. */
export interface RunningLoad {
  end(): Promise<Outcome>
}

export interface Outcome {
  readonly requests: number
  readonly durationMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly bytes: number
  /** Answers of 400 and above. */
  readonly refusals: number
  /** Connections that failed and requests that got no answer. */
  readonly failures: number
}

export const load = async ({
  durationMs,
  ...load
}: Load & { readonly durationMs: number }): Promise<Outcome> => {
  const running = await beginLoad(load)
  await sleep(durationMs)
  return running.end()
}

const loadCore = 1
const maxSeconds = 600
const interruptIntervalMs = 100

/**
 * Loads a server from one thread on the other core. wrk's durations are whole seconds, so it is started for a long time and
 * interrupted when due.
 */
export const beginLoad = async ({
  origin,
  specs,
  connections,
  core = loadCore,
}: Load): Promise<RunningLoad> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-wrk-'))
  const script = join(folder, 'specs.lua')
  writeFileSync(script, wrkScript(specs, marker))
  const args = ['-t1', `-c${connections}`, `-d${maxSeconds}s`, '--timeout', '30s', '-s', script, origin]
  const child = spawnOn(core, ['stdbuf', '-oL', 'wrk', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (!child.stdout) throw new Error('the load has no output')
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
  })
  const ended = once(child.stdout, 'end')
  // With its first output it has begun, and has read the script.
  await Promise.race([once(child.stdout, 'data'), ended])
  rmSync(folder, { recursive: true })
  const interrupt = () => void child.kill('SIGINT')
  return {
    async end() {
      interrupt()
      // A signal that arrives before wrk sleeps does not wake it.
      const interrupting = setInterval(interrupt, interruptIntervalMs)
      await ended
      clearInterval(interrupting)
      return read(output)
    },
  }
}

const marker = 'outcome '

const read = (output: string): Outcome => {
  const line = output.split('\n').find((each) => each.startsWith(marker))
  if (line === undefined) throw new Error(`wrk said: ${output}`)
  return JSON.parse(line.slice(marker.length)) as Outcome
}
