import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '#core/problem.ts'
import type { Principal } from './guard.ts'
import type { Target } from './target.ts'

/** One request on its way: what is known of it so far. */
export interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly method: string
  readonly track: string
  readonly startedAtMs: number
  /** The client waits for an interim answer, mostly 100 Continue, before it sends its body, and has not been sent it yet. */
  awaitsContinue: boolean
  target: Target
  suffix: string | undefined
  /** The path as the route has it, for the log and the metrics. */
  place: string | undefined
  /** A probe, asked all the time: its successes are logged at `debug` only. */
  isProbe: boolean
  principal: Principal | undefined
  /** Where it comes from. */
  address: string | undefined
  /** Fields that its mount gives every answer. */
  extraHeaders: readonly string[]
}

/** How often a field was sent, by its name in lower case: node:http shows only the first of some fields, and joins others. */
export const timesGiven = ({ rawHeaders }: IncomingMessage, name: string): number => {
  let times = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) times++
  }
  return times
}

/** Refuses a field that may come once and came more often: a server on the way may have used the other value. */
export const requireOnce = (incoming: IncomingMessage, name: string) => {
  if (timesGiven(incoming, name) > 1) throw new Problem('httpSyntax')
}

/** A field that may come once; several of a kind are joined by node:http. */
export const header = (exchange: Exchange, name: string): string | undefined => {
  const value = exchange.incoming.headers[name]
  return typeof value === 'string' ? value : undefined
}
