import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, httpClient, type OnUnanswered } from './client.ts'
import { joinsAndLeaves } from './joins-and-leaves.ts'
import { todoOps } from './ops.ts'
import type { Recorder } from './recorder.ts'

export interface Load {
  /** The instances, or the proxies in front of them. A process uses each of them at random. */
  readonly urls: readonly string[]
  readonly recorder: Recorder
  readonly processes?: number
  /** How many of the processes join and leave as members; few, since hashing passwords is slow. */
  readonly memberProcesses?: number
  readonly random?: () => number
  readonly timeoutMs?: number
  readonly unanswered?: OnUnanswered
  /** True if an intermediary may repeat a DELETE, as HTTP allows: a 404 may then mean that the first one succeeded. */
  readonly mayRepeat?: boolean
}

export interface RunningLoad {
  /** Waits until every process has finished its operation. */
  stop(): Promise<void>
}

/** Starts a load, which goes on until it is stopped. */
export const startLoad = (load: Load): RunningLoad => {
  const random = load.random ?? Math.random
  const clients = load.urls.map((url) => httpClient(url, load.timeoutMs, load.unanswered))
  const { recorder, mayRepeat = false } = load
  const shared = { recorder, random, mayRepeat, pool: new Map(), run: randomUUID().slice(0, 8) }
  const stopped = new AbortController()
  const one = (process: number) => {
    const of = process < (load.memberProcesses ?? 0) ? joinsAndLeaves : todoOps
    const act = of({ ...shared, process, client: () => anyOf(clients, random), stopped: stopped.signal })
    return untilStopped(act, stopped.signal)
  }
  const running = Array.from({ length: load.processes ?? 16 }, (_, process) => one(process))
  return {
    async stop() {
      stopped.abort()
      await Promise.all(running)
      for (const client of clients) client.close()
    },
  }
}

/** Repeats the act; after one that achieved nothing, it waits a little. */
const untilStopped = async (act: () => Promise<boolean>, signal: AbortSignal) => {
  while (!signal.aborted) if (!(await act())) await sleep(20)
}

const anyOf = (clients: readonly Client[], random: () => number): Client => {
  const client = clients[Math.floor(random() * clients.length)]
  if (!client) throw new Error('a load needs an instance')
  return client
}
