import type { IncomingMessage, ServerResponse } from 'node:http'
import { endOfTurn } from '#core/event-loop.ts'
import { once } from '#core/once.ts'
import { clientGone, httpSyntax, type Problem } from '#core/problem.ts'
import type { Target } from './target.ts'

/** One request in progress, and the facts gathered about it so far. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** The header fields of the request: those of `incoming`, or of one operation in a batch. */
  readonly head: Head
  readonly method: string
  readonly track: string
  readonly startedAtMs: number
  /** The client is still waiting for an interim answer, usually 100 Continue, before it sends its body. */
  awaitsContinue: boolean
  target: Target
  suffix: string | undefined
  /** The path pattern of the route, for the log and the metrics. */
  routePattern: string | undefined
  /** True if this is a health probe. Probes are frequent, so a successful one is logged at `debug` only. */
  isProbe: boolean
  /** The caller, once it is identified. */
  principal: { readonly kind: string; readonly name: string } | undefined
  /** The sign id that a caller tried to sign in with. */
  triedSignId: string | undefined
  /** The path of the record that is being changed, with its id even if the request used an alias. */
  changedPath: string | undefined
  /** The address of the caller, who may be behind a trusted proxy. */
  address: string | undefined
  /** Additional fields of the answer: those of every answer below the same path prefix, and those added while the request is handled. */
  extraHeaders: readonly string[]
}

export type Head = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/** Counts how often a field was sent. In `headers`, node:http keeps only the first of some fields, and joins others. */
export const occurrencesOf = ({ rawHeaders }: Head, name: string): number => {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isNamed(rawHeaders[at], name)) times++
  return times
}

const isNamed = (field: string | undefined, name: string) =>
  field === name || (field?.length === name.length && field.toLowerCase() === name.toLowerCase())

/** Refuses a repeated field that may occur only once, because a proxy may have read another of its values. */
export const refuseRepeatedField = (head: Head, name: string) => {
  if (occurrencesOf(head, name) > 1) throw httpSyntax({ code: 'Once', target: name })
}

/** The value of a field that may occur once; node:http joins repeated values or keeps the first. */
export const header = (exchange: Exchange, name: string): string | undefined => {
  const value = exchange.head.headers[name]
  return typeof value === 'string' ? value : undefined
}

/** True if the request comes from a browser. Other programs do not name HTML in Accept. */
export const isFromBrowser = (exchange: Exchange) =>
  ['GET', 'HEAD'].includes(exchange.method) && /\btext\/html\b/i.test(header(exchange, 'accept') ?? '')

export const hasBody = (exchange: Exchange) =>
  exchange.incoming.headers['transfer-encoding'] !== undefined ||
  Number(header(exchange, 'content-length') ?? 0) > 0

/** True if the whole body arrived with the head. By the end of this event-loop tick, all received bytes have been parsed. */
export const isBodyComplete = async ({ incoming }: Exchange): Promise<boolean> => {
  if (!incoming.complete) await endOfTurn()
  return incoming.complete
}

/** Tells a client that waits for 100 Continue to send its body. */
export const sendContinue = (exchange: Exchange) => {
  if (!exchange.awaitsContinue) return
  exchange.awaitsContinue = false
  exchange.outgoing.writeContinue()
}

/** The reasons why the rest of a request will never come. */
const breakReasons = new WeakMap<IncomingMessage, Problem>()

/** Marks a request whose body cannot be read to its end, while its answer can still be sent. */
export const markBroken = (incoming: IncomingMessage, why: Problem) => {
  breakReasons.set(incoming, why)
  incoming.emit(restLost)
}

const restLost = Symbol('the rest of the request never comes')

export const isBroken = (incoming: IncomingMessage) => breakReasons.has(incoming)

/** Reports once, as soon as it is known, why the rest of an incomplete body will never come. */
export const whenBroken = (incoming: IncomingMessage, report: (why: Problem) => void) => {
  const reportOnce = once(() => report(breakReasons.get(incoming) ?? clientGone()))
  if (incoming.destroyed || isBroken(incoming)) return reportOnce()
  incoming.once(restLost, reportOnce)
  // `error` is emitted only if somebody listens for it, but `close` is always emitted.
  incoming.once('close', () => {
    if (!incoming.complete) reportOnce()
  })
}
