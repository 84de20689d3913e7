import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { messageOf } from '../../src/core/cause.ts'

export interface RequestSpec {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** No complete answer came. If nothing was sent, nothing was done. */
export class NoAnswer extends Error {
  readonly sent: boolean
  constructor(sent: boolean, cause: unknown) {
    super(messageOf(cause), { cause })
    this.sent = sent
  }
}

/** Called with the X-Track of every request that was sent but not answered. */
export type OnUnanswered = (track: string) => void

export type Client = ReturnType<typeof httpClient>

/** Sends requests to a service over connections that are kept alive, and waits no longer than the time limit. */
export const httpClient = (base: string, timeoutMs = 5000, unanswered?: OnUnanswered) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_024 })
  return {
    base,
    async ask(ask: RequestSpec) {
      const track = randomBytes(8).toString('hex')
      const headers = { 'x-track': track, ...ask.headers }
      try {
        return await send(new URL(base), { ...ask, headers, agent, timeoutMs })
      } catch (error) {
        if (error instanceof NoAnswer && error.sent) unanswered?.(track)
        throw error
      }
    },
    close: () => agent.destroy(),
  }
}

interface Sending extends RequestSpec {
  readonly agent: Agent
  readonly timeoutMs: number
}

const send = (base: URL, sending: Sending) =>
  new Promise<Answer>((resolve, reject) => {
    const { method, path, body, headers, agent, timeoutMs } = sending
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const own =
      payload === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(payload) }
    const where = { host: base.hostname, port: base.port, path, method, agent }
    let connected = false
    const outgoing = request({ ...where, headers: { ...own, ...headers } }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', fail)
      incoming.on('aborted', () => fail(new Error('the answer was cut')))
      incoming.on('end', () => {
        clearTimeout(timer)
        if (!incoming.complete) return fail(new Error('the answer was cut'))
        const { statusCode: status = 0, headers } = incoming
        resolve({ status, headers, body: Buffer.concat(chunks).toString() })
      })
    })
    const timer = setTimeout(() => outgoing.destroy(new Error('no answer in time')), timeoutMs)
    const fail = (cause: unknown) => {
      clearTimeout(timer)
      reject(new NoAnswer(connected, cause))
    }
    /** An idle connection may be closed just when it is used again. Then a request that only reads is sent again. */
    const again = () => {
      clearTimeout(timer)
      resolve(send(base, sending))
    }
    outgoing.on('socket', (socket) => {
      connected = !socket.connecting
      if (connected) return
      socket.once('connect', () => {
        connected = true
      })
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      method === 'GET' && outgoing.reusedSocket && error.code === 'ECONNRESET' ? again() : fail(error),
    )
    outgoing.end(payload)
  })
