import { spawnSync } from 'node:child_process'
import { autocannon } from './autocannon.ts'
import { wrk } from './wrk.ts'

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Load {
  readonly origin: string
  /** Asked in turn, over and over. */
  readonly asks: readonly Ask[]
  readonly connections: number
  readonly durationMs: number
  /** Where the load runs; the second core when absent, `any` leaves it to the system. */
  readonly core?: number | 'any'
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

const hasWrk = ['wrk', 'stdbuf'].every((tool) => spawnSync(tool, ['--version']).error === undefined)

export const loadTool = hasWrk ? 'wrk' : 'autocannon'

/** Loads a server from one thread on the other core. */
export const load: (load: Load) => Promise<Outcome> = hasWrk ? wrk : autocannon
