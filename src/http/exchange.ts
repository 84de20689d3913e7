import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './guard.ts'
import type { Target } from './target.ts'

/** One request on its way: what is known of it so far. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly method: string
  readonly track: string
  readonly startedAtMs: number
  /** The client waits for a word before it sends its body, and nobody has said it yet. */
  awaitsContinue: boolean
  target: Target
  suffix: string | undefined
  /** The path as the route has it, for the log and the metrics. */
  place: string | undefined
  /** Asked without end by whoever watches: where it is answered well, nobody wants to read of it. */
  isProbe: boolean
  principal: Principal | undefined
  /** Where it comes from. */
  address: string | undefined
  /** Fields that its mount gives every answer. */
  extraHeaders: readonly string[]
}

/** Whether a field that may come once came more often: node:http shows the first. */
export const isRepeated = ({ incoming }: Exchange, name: string) =>
  (incoming.headersDistinct[name]?.length ?? 0) > 1

/** A field that may come once; several of a kind are joined by node:http. */
export const header = (exchange: Exchange, name: string): string | undefined => {
  const value = exchange.incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}
