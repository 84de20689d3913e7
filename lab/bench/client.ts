import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { common } from './dialect.ts'
import type { RequestSpec } from './load.ts'
import type { Peer } from './peers.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Client {
  request(
    method: RequestSpec['method'],
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  close(): void
}

/** A client for everything that is not measured: smoke checks and seeds. */
export const openClient = (origin: string, peer: Pick<Peer, 'headers' | 'dialect'> = {}): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const { headers: always, dialect = common } = peer
  return {
    async request(method, path, body, headers = {}) {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const spec = dialect.request({ method, path, headers: { ...always, ...type, ...headers }, ...json })
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const sent = request(`${origin}${spec.path}`, { ...spec, agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        text(response).then((body) => resolve({ status, headers, body: dialect.body(body) }), reject)
      })
      sent.on('error', reject)
      sent.end(spec.body)
      return promise
    },
    close: () => agent.destroy(),
  }
}
