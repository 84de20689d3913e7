import { store } from './store.ts'

/** Whether the service is reachable, judged by the last request. */
export interface Connection {
  readonly state: 'up' | 'unreachable' | 'failing'
  /** When the state last changed, in epoch milliseconds. */
  readonly since: number
  /** The track id of the first request that found this state. */
  readonly track?: string
  readonly status?: number
}

export const connection = store<Connection>({ state: 'up', since: Date.now() })

/** Ignores answers to requests from before the service went away: they do not prove that it is back. */
export const reportReached = (sentAtMs: number) => {
  if (sentAtMs >= connection.get().since) change({ state: 'up', since: Date.now() })
}

export const reportUnreachable = (track: string) => change({ state: 'unreachable', since: Date.now(), track })

export const reportFailing = (track: string, status: number) =>
  change({ state: 'failing', since: Date.now(), track, status })

const change = (next: Connection) => {
  const now = connection.get()
  if (now.state !== next.state) connection.set(next)
  else if (now.status !== next.status) connection.set({ ...now, ...(next.status && { status: next.status }) })
}
