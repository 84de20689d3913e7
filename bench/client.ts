import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Client {
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  close(): void
}

/** A client for everything that is not measured: smoke checks and seeds. */
export const openClient = (origin: string, always: Readonly<Record<string, string>> = {}): Client => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return {
    async request(method, path, body, headers = {}) {
      const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const options = { agent, method, headers: { ...always, ...type, ...headers } }
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const sent = request(`${origin}${path}`, options, (response) => {
        const { statusCode: status = 0, headers } = response
        text(response).then((body) => resolve({ status, headers, body }), reject)
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
      return promise
    },
    close: () => agent.destroy(),
  }
}
