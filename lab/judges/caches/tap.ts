import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request of a cache to the service, and its outcome. */
export interface TappedRequest {
  readonly method: string
  readonly isConditional: boolean
  readonly status: number
  readonly track: string
}

/** A response of the service, as it is passed on. */
export interface PassingResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** A mistake that a service could make, planted into its responses. */
export type Plant = (passing: PassingResponse, incoming: IncomingMessage) => void

export interface Tap {
  readonly port: number
  /** The requests since the last call. */
  readonly seen: () => readonly TappedRequest[]
  readonly close: () => Promise<void>
}

/** A proxy between a cache and the service. */
export const openTap = async (service: string, plant: Plant = () => undefined): Promise<Tap> => {
  const { hostname, port } = new URL(service)
  let seen: TappedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const onward = request({ hostname, port, method, path: url, headers, agent: false }, async (answer) => {
      const chunks: Buffer[] = await answer.toArray()
      const passing = {
        status: answer.statusCode ?? 0,
        headers: { ...answer.headers },
        body: Buffer.concat(chunks),
      }
      const isConditional = 'if-none-match' in headers || 'if-modified-since' in headers
      seen.push({ method, isConditional, status: passing.status, track: String(answer.headers['x-track']) })
      plant(passing, incoming)
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = passing.headers
      outgoing.writeHead(passing.status, kept).end(passing.body)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    seen() {
      const since = seen
      seen = []
      return since
    },
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}
