import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, httpClient, type Unanswered } from './client.ts'
import { comings } from './comings.ts'
import { todoOps } from './ops.ts'
import type { Recorder } from './recorder.ts'

export interface Load {
  /** The instances, or the proxies before them. A process asks any of them. */
  readonly urls: readonly string[]
  readonly recorder: Recorder
  readonly processes?: number
  /** Processes that join and leave as members; passwords are slow. */
  readonly memberProcesses?: number
  readonly random?: () => number
  readonly timeoutMs?: number
  readonly unanswered?: Unanswered
  /** Whether somebody on the way may send a DELETE again, as HTTP allows: 404 may then tell of the first one. */
  readonly mayRepeat?: boolean
}

export interface Running {
  /** Lets every process end what it does. */
  stop(): Promise<void>
}

/** Begins to ask, until told to stop. */
export const startLoad = (load: Load): Running => {
  const random = load.random ?? Math.random
  const clients = load.urls.map((url) => httpClient(url, load.timeoutMs, load.unanswered))
  const { recorder, mayRepeat = false } = load
  const shared = { recorder, random, mayRepeat, pool: new Map(), run: randomUUID().slice(0, 8) }
  const stopped = new AbortController()
  const one = (process: number) => {
    const of = process < (load.memberProcesses ?? 0) ? comings : todoOps
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

/** An act says whether it got anywhere; who did not waits a little. */
const untilStopped = async (act: () => Promise<boolean>, signal: AbortSignal) => {
  while (!signal.aborted) if (!(await act())) await sleep(20)
}

const anyOf = (clients: readonly Client[], random: () => number): Client => {
  const client = clients[Math.floor(random() * clients.length)]
  if (!client) throw new Error('a load needs an instance to ask')
  return client
}
