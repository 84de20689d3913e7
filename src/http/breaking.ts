import type { IncomingMessage } from 'node:http'
import { once } from '#core/once.ts'
import { brokenOff, type Problem } from '#core/problem.ts'

/** Why the rest of a request never comes. */
const reasons = new WeakMap<IncomingMessage, Problem>()

/** For a request whose body stops being one, on a connection that still takes its answer. */
export const breakOff = (incoming: IncomingMessage, why: Problem) => {
  reasons.set(incoming, why)
  incoming.emit(told)
}

const told = Symbol('told that the rest never comes')

export const isBroken = (incoming: IncomingMessage) => reasons.has(incoming)

/** Tells once why the rest of a body that is not all there never comes: at once, or when it turns out so. */
export const whenBroken = (incoming: IncomingMessage, tell: (why: Problem) => void) => {
  const tellOnce = once(() => tell(reasons.get(incoming) ?? brokenOff()))
  if (incoming.destroyed || isBroken(incoming)) return tellOnce()
  incoming.once(told, tellOnce)
  // An error of its own comes only to those who listen for it; whatever breaks it off closes it.
  incoming.once('close', () => {
    if (!incoming.complete) tellOnce()
  })
}
