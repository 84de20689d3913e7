import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { rootCauseOf } from '#core/cause.ts'
import { isXmlText } from '#core/formats.ts'
import { Agent, request } from '#http/wire/node-http.ts'
import { guardedLookup, hostOf, type IsNamed, isPublic } from './addresses.ts'
import { maxErrorLength } from './declaration.ts'

export interface Outcome {
  /** Null if there was no answer. */
  readonly status: number | null
  readonly error: string | null
  readonly milliseconds: number
}

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends one request. Undefined if it was aborted before the answer. */
export type Send = (parcel: WebhookRequest, stopped: AbortSignal) => Promise<Outcome | undefined>

interface SenderParts {
  readonly isNamed: IsNamed
  /** The time a receiver may take to answer. */
  readonly answerMs: number
}

/** The bytes of an answer that are read. Only its status counts. */
const maxAnswerBytes = 64 * 1024

/** Keeps at most one connection at a time. Redirects are not followed. */
export const sender = ({ isNamed, answerMs }: SenderParts) => {
  const lookup = guardedLookup(isNamed)
  const kept = { keepAlive: true, maxFreeSockets: 1 }
  const agents = { 'https:': new SecureAgent(kept), 'http:': new Agent(kept) }
  const send: Send = async (parcel, stopped) => {
    const startedAtMs = performance.now()
    const timeUp = AbortSignal.timeout(answerMs)
    const outcome = (status: number | null, error: string | null) => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - startedAtMs),
    })
    try {
      const url = new URL(parcel.url)
      const host = hostOf(url)
      if (isIP(host) !== 0 && !isNamed(host) && !isPublic(host)) throw new Error(`${host} is not public`)
      const signal = AbortSignal.any([stopped, timeUp])
      const status = await statusOf(url, parcel, { agents, lookup, signal })
      return outcome(status, status >= 300 && status < 400 ? 'redirects are not followed' : null)
    } catch (error) {
      if (stopped.aborted) return undefined
      return outcome(null, timeUp.aborted ? `no answer within ${answerMs / 1000} s` : textOf(error))
    }
  }
  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

interface Transport {
  readonly agents: { readonly 'https:': SecureAgent; readonly 'http:': InstanceType<typeof Agent> }
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
}

/** Waits for the end of the answer. Closes the connection if the answer is long. */
const statusOf = (url: URL, parcel: WebhookRequest, way: Transport): Promise<number> =>
  new Promise((resolve, reject) => {
    const { agents, lookup, signal } = way
    const common = { method: 'POST', headers: parcel.headers, lookup, signal }
    const outgoing =
      url.protocol === 'https:'
        ? secureRequest(url, { ...common, agent: agents['https:'] })
        : request(url, { ...common, agent: agents['http:'] })
    let status: number | undefined
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (status !== undefined) resolve(status)
      // The receiver closed the kept connection as the request was sent. Retry on a new one.
      else if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(statusOf(url, parcel, way))
      else reject(error)
    })
    // This is the only way in which Node reports an answer of 101.
    outgoing.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy()
      resolve(statusCode)
    })
    outgoing.on('response', (incoming) => {
      status = incoming.statusCode ?? 0
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > maxAnswerBytes) incoming.destroy()
      })
      incoming.on('error', () => undefined)
      incoming.on('close', () => resolve(status ?? 0))
    })
    outgoing.end(parcel.body)
  })

const textOf = (error: unknown) => {
  const { code } = Object(error) as NodeJS.ErrnoException
  const text = [code, rootCauseOf(error)].filter((part) => part !== undefined && part !== '').join(': ')
  return isXmlText(text) ? [...text].slice(0, maxErrorLength).join('') : 'an error that cannot be shown'
}
