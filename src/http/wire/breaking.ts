import type { IncomingMessage } from 'node:http'
import { once } from '#core/once.ts'
import { clientGone, type Problem } from '#core/problem.ts'

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
