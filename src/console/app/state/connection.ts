import { store } from './store.ts'

/** Whether the service is reachable, judged by the last request. */
export interface Connection {
  readonly state: 'up' | 'unreachable' | 'failing'
  /** When the state last changed, in epoch milliseconds. */
  readonly since: number
  /** The track id of the first request that failed in this way. */
  readonly track?: string
  readonly status?: number
}

export const connection = store<Connection>({ state: 'up', since: Date.now() })

/** Reports an answer of the service. Ignored if the request was sent before the failure: it does not prove that the service is back. */
export const reportReached = (sentAtMs: number) => {
  if (sentAtMs >= connection.get().since) update({ state: 'up', since: Date.now() })
}

export const reportUnreachable = (track: string) => update({ state: 'unreachable', since: Date.now(), track })

export const reportFailing = (track: string, status: number) =>
  update({ state: 'failing', since: Date.now(), track, status })

const update = (next: Connection) => {
  const now = connection.get()
  if (now.state !== next.state) connection.set(next)
  else if (now.status !== next.status) connection.set({ ...now, ...(next.status && { status: next.status }) })
}
