import type { IncomingMessage } from 'node:http'
import { once } from '#core/once.ts'
import { brokenOff, type Problem } from '#core/problem.ts'

/** Why the rest of a request never comes. */
const reasons = new WeakMap<IncomingMessage, Problem>()

/** For a request whose body turns out to be unreadable, on a connection that can still take the answer. */
export const breakOff = (incoming: IncomingMessage, why: Problem) => {
  reasons.set(incoming, why)
  incoming.emit(restLost)
}

const restLost = Symbol('the rest of the request never comes')

export const isBroken = (incoming: IncomingMessage) => reasons.has(incoming)

/** Tells once why the rest of an incomplete body will never come: now, or as soon as that is known. */
export const whenBroken = (incoming: IncomingMessage, tell: (why: Problem) => void) => {
  const tellOnce = once(() => tell(reasons.get(incoming) ?? brokenOff()))
  if (incoming.destroyed || isBroken(incoming)) return tellOnce()
  incoming.once(restLost, tellOnce)
  // `error` is emitted only if somebody listens for it, but `close` follows every break.
  incoming.once('close', () => {
    if (!incoming.complete) tellOnce()
  })
}
