import { store } from './store.ts'

/** The state of the service, judged by the last request. */
export interface Connection {
  readonly state: 'up' | 'unreachable' | 'failing'
  /** The time of the last change of the state. */
  readonly sinceMs: number
  /** The track id of the first request that failed in this way. */
  readonly track?: string
  readonly status?: number
}

export const connection = store<Connection>({ state: 'up', sinceMs: Date.now() })

/** Reports an answer of the service. Ignored if the request was sent before the failure: it does not prove that the service is back. */
export const reportReached = (sentAtMs: number) => {
  if (sentAtMs >= connection.get().sinceMs) update({ state: 'up' })
}

export const reportUnreachable = (track: string) => update({ state: 'unreachable', track })

export const reportFailing = (track: string, status: number) => update({ state: 'failing', track, status })

const update = (next: Omit<Connection, 'sinceMs'>) => {
  const now = connection.get()
  if (now.state !== next.state) connection.set({ ...next, sinceMs: Date.now() })
  else if (now.status !== next.status) connection.set({ ...now, ...(next.status && { status: next.status }) })
}
