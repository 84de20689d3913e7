import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginAutocannon } from './autocannon.ts'
import { beginWrk } from './wrk.ts'

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
  pause(): void
  resume(): void
  /** How many requests it has sent; undefined if the system does not report it. */
  sent(): number | undefined
  end(): Promise<Outcome>
  /** For a load whose outcome nobody needs any more. Does nothing once it has ended. */
  kill(): void
}

export interface Outcome {
  readonly requests: number
  /** From beginning to end, including pauses. */
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
export const beginLoad: (load: Load) => Promise<RunningLoad> = hasWrk ? beginWrk : beginAutocannon

export const load = async ({
  durationMs,
  ...load
}: Load & { readonly durationMs: number }): Promise<Outcome> => {
  const running = await beginLoad(load)
  await sleep(durationMs)
  return running.end()
}
