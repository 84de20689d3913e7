import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { rootCauseOf } from '#core/cause.ts'
import { isXmlText } from '#core/formats.ts'
import { Agent, request } from '#http/wire/node-http.ts'
import { guardedLookup, hostOf, type IsAllowedHost, isPublic } from './addresses.ts'
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

/** Sends one request. Undefined if the request was aborted before the answer. */
export type Send = (webhookRequest: WebhookRequest, stopped: AbortSignal) => Promise<Outcome | undefined>

interface SenderSettings {
  readonly isAllowedHost: IsAllowedHost
  /** The time limit for the answer of a receiver. */
  readonly answerMs: number
}

/** A longer answer is not read to its end, because only its status counts. */
const maxAnswerBytes = 64 * 1024

/** Sends requests over at most one kept-alive connection. Redirects are not followed. */
export const sender = ({ isAllowedHost, answerMs }: SenderSettings) => {
  const lookup = guardedLookup(isAllowedHost)
  const agentOptions = { keepAlive: true, maxFreeSockets: 1 }
  const agents = { 'https:': new SecureAgent(agentOptions), 'http:': new Agent(agentOptions) }
  const send: Send = async (webhookRequest, stopped) => {
    const startedAtMs = performance.now()
    const timeUp = AbortSignal.timeout(answerMs)
    const outcome = (status: number | null, error: string | null) => ({
      status,
      error,
      milliseconds: Math.round(performance.now() - startedAtMs),
    })
    try {
      const url = new URL(webhookRequest.url)
      const host = hostOf(url)
      if (isIP(host) !== 0 && !isAllowedHost(host) && !isPublic(host))
        throw new Error(`${host} is not public`)
      const signal = AbortSignal.any([stopped, timeUp])
      const status = await requestStatus(url, webhookRequest, { agents, lookup, signal })
      return outcome(status, status >= 300 && status < 400 ? 'redirects are not followed' : null)
    } catch (error) {
      if (stopped.aborted) return undefined
      return outcome(null, timeUp.aborted ? `no answer within ${answerMs / 1000} s` : errorTextOf(error))
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

/** Sends the request and returns the status at the end of the answer. Closes the connection if the answer is too long. */
const requestStatus = (url: URL, webhookRequest: WebhookRequest, transport: Transport): Promise<number> =>
  new Promise((resolve, reject) => {
    const { agents, lookup, signal } = transport
    const common = { method: 'POST', headers: webhookRequest.headers, lookup, signal }
    const outgoing =
      url.protocol === 'https:'
        ? secureRequest(url, { ...common, agent: agents['https:'] })
        : request(url, { ...common, agent: agents['http:'] })
    let status: number | undefined
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (status !== undefined) resolve(status)
      // The receiver closed the kept-alive connection while the request was being sent. Tries again on a new connection.
      else if (outgoing.reusedSocket && error.code === 'ECONNRESET')
        resolve(requestStatus(url, webhookRequest, transport))
      else reject(error)
    })
    // Node reports an answer with the status 101 only by this event.
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
    outgoing.end(webhookRequest.body)
  })

const errorTextOf = (error: unknown) => {
  const { code } = Object(error) as NodeJS.ErrnoException
  const text = [code, rootCauseOf(error)].filter((part) => part !== undefined && part !== '').join(': ')
  return isXmlText(text) ? [...text].slice(0, maxErrorLength).join('') : 'an error that cannot be shown'
}
