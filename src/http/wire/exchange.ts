import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from '#core/once.ts'
import { clientGone, httpSyntax, type Problem } from '#core/problem.ts'
import { endOfTurn } from '#core/turn.ts'
import type { Target } from './target.ts'

/** One request under way, and what is known about it so far. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The fields of the request: those of `incoming`, unless it is one of several that came in one. */
  readonly head: Head
  readonly method: string
  readonly track: string
  readonly startedAtMs: number
  /** The client is still waiting for an interim answer, usually 100 Continue, before it sends its body. */
  awaitsContinue: boolean
  target: Target
  suffix: string | undefined
  /** The path pattern of the route, for the log and the metrics. */
  place: string | undefined
  /** A probe, which comes all the time: its successes are logged at `debug` only. */
  isProbe: boolean
  /** Who is making the request, once that is known. */
  principal: { readonly kind: string; readonly name: string } | undefined
  /** The name that a caller gave who is not known yet. */
  tried: string | undefined
  /** The path of what is being changed, by its own id. */
  record: string | undefined
  /** The address of the caller, who may be behind a trusted proxy. */
  address: string | undefined
  /** Further fields of the answer: those of its mount, and whatever is added on the way. */
  extraHeaders: readonly string[]
}

export type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** How many times a field was sent: node:http shows only the first of some fields, and joins others. */
export const occurrencesOf = ({ rawHeaders }: Head, name: string): number => {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at], name)) times++
  return times
}

const isNamed = (field: string | undefined, name: string) =>
  field === name || (field?.length === name.length && field.toLowerCase() === name.toLowerCase())

/** Refuses a field that may occur only once but was repeated: a server on the way may have used another of its values. */
export const requireOnce = (head: Head, name: string) => {
  if (occurrencesOf(head, name) > 1) throw httpSyntax({ code: 'Once', target: name })
}

/** The value of a field that may occur once; node:http joins repeated values or keeps the first. */
export const header = (exchange: Exchange, name: string): string | undefined => {
  const value = exchange.head.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** Whether a person asks with a browser: a program does not name HTML. */
export const isFromBrowser = (exchange: Exchange) =>
  ['GET', 'HEAD'].includes(exchange.method) && /\btext\/html\b/i.test(header(exchange, 'accept') ?? '')

export const hasBody = (exchange: Exchange) =>
  exchange.incoming.headers['transfer-encoding'] !== undefined ||
  Number(header(exchange, 'content-length') ?? 0) > 0

/** Whether the whole body arrived with the head. By the end of this turn the parser has read everything received so far. */
export const hasArrived = async ({ incoming }: Exchange): Promise<boolean> => {
  if (!incoming.complete) await endOfTurn()
  return incoming.complete
}

/** Tells a client that waits for 100 Continue to send its body. */
export const sendContinue = (exchange: Exchange) => {
  if (!exchange.awaitsContinue) return
  exchange.awaitsContinue = false
  exchange.outgoing.writeContinue()
}

/** Why the rest of a request will never come. */
const reasons = new WeakMap<IncomingMessage, Problem>()

/** Marks a request whose body turned out to be unreadable, on a connection that can still carry the answer. */
export const breakOff = (incoming: IncomingMessage, why: Problem) => {
  reasons.set(incoming, why)
  incoming.emit(restLost)
}

const restLost = Symbol('the rest of the request never comes')

export const isBroken = (incoming: IncomingMessage) => reasons.has(incoming)

/** Reports once why the rest of an incomplete body will never come: now, or as soon as it is known. */
export const whenBroken = (incoming: IncomingMessage, report: (why: Problem) => void) => {
  const reportOnce = once(() => report(reasons.get(incoming) ?? clientGone()))
  if (incoming.destroyed || isBroken(incoming)) return reportOnce()
  incoming.once(restLost, reportOnce)
  // `error` is emitted only if there is a listener, but `close` follows every break.
  incoming.once('close', () => {
    if (!incoming.complete) reportOnce()
  })
}
