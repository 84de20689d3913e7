import { setTimeout as sleep } from 'node:timers/promises'
import { overloaded, Problem } from '#core/problem.ts'
import type { Responder } from './api.ts'
import type { Exchange } from './exchange.ts'

/** Stands before a route, and lets in what can be answered in time. */
export interface Gate {
  /** Throws when the request had better come again later. */
  enter(exchange: Exchange): void
  /** Whoever leaves because the work behind the gate had no place closes it until the next one leaves. */
  leave(exchange: Exchange, refusal?: unknown): void
}

export interface Overload {
  /** A gate for one kind of work: where one kind waits, the others go on. */
  gate(): Gate
  /** Whoever refused for overload: no more refusals go out at once than leave time for answers. */
  paced(respond: Responder): Responder
  stop(): void
}

const tickMs = 10

/** So much may one turn of the event loop work, and so many requests take in; later ones are told to come again. */
const longestTurnMs = 100
const requestsOfTurn = 128

/** Refusing costs time too: more than these a second would take it from the answers. */
const refusalsPerSecond = 3_000

/** So many of them go out together, and the next ones one by one at that rate; who was refused does not ask again sooner. */
const refusalsAtOnce = 400
const longestHeldMs = 1_000

/** The work is asked again after so long in any case. */
const closedMs = 5

/** So many may wait for their storage or their hash whatever the time; more of them only while none waits too long. */
const alwaysWaiting = 64
const longestWaitMs = 1_000
const lookEveryMs = 100

/** Refuses work that would only wait (decision 0029), at once and cheaply: what is let in is answered in time. */
export const overload = (): Overload => {
  let tickedAtMs = performance.now()
  let workedMs = workMs()
  let entered = 0
  let refusalsLeft = 0
  const timer = setInterval(() => {
    const now = performance.now()
    const earned = ((now - tickedAtMs) * refusalsPerSecond) / 1000
    refusalsLeft = Math.min(refusalsLeft + earned, refusalsPerSecond / 4)
    tickedAtMs = now
    workedMs = workMs()
    entered = 0
  }, tickMs).unref()

  /** Time alone says little: another process may have had it. */
  const refuseLate = ({ startedAtMs }: Exchange) => {
    if (entered++ < requestsOfTurn || startedAtMs - tickedAtMs <= longestTurnMs) return
    if (refusalsLeft < 1 || workMs() - workedMs <= longestTurnMs) return
    refusalsLeft--
    throw overloaded()
  }

  const held = pacing()
  return {
    paced: (respond) => (exchange) =>
      respond(exchange).catch(async (error: unknown) => {
        const waitMs = isOverload(error) ? held() : 0
        if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
        throw error
      }),
    gate() {
      const line = waitingLine()
      let closedUntilMs = 0
      return {
        enter(exchange) {
          if (exchange.startedAtMs < closedUntilMs) throw overloaded()
          refuseLate(exchange)
          if (line.isStuck(exchange.startedAtMs)) throw overloaded()
          line.add(exchange)
        },
        leave(exchange, refusal) {
          line.remove(exchange)
          closedUntilMs = isOverload(refusal) ? performance.now() + closedMs : 0
        },
      }
    },
    stop: () => clearInterval(timer),
  }
}

const isOverload = (error: unknown) => error instanceof Problem && error.kind === 'overloaded'

/** How long the next refusal waits. */
const pacing = () => {
  const everyMs = 1000 / refusalsPerSecond
  let nextMs = 0
  return () => {
    const now = performance.now()
    nextMs = Math.max(nextMs, now - refusalsAtOnce * everyMs) + everyMs
    return Math.min(Math.max(0, nextMs - now), longestHeldMs)
  }
}

const workMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Those who are inside. A request waits from the moment when all of it was seen to be there. */
const waitingLine = () => {
  const since = new Map<Exchange, number | undefined>()
  let lookedAtMs = 0
  let isStuck = false

  const look = (nowMs: number) => {
    let stuck = false
    for (const [exchange, waitsSinceMs] of since) {
      if (waitsSinceMs === undefined && exchange.incoming.complete) since.set(exchange, nowMs)
      if (waitsSinceMs !== undefined && nowMs - waitsSinceMs > longestWaitMs) stuck = true
    }
    return stuck
  }

  return {
    add: (exchange: Exchange) => void since.set(exchange, undefined),
    remove: (exchange: Exchange) => void since.delete(exchange),
    isStuck(nowMs: number) {
      if (since.size < alwaysWaiting) return false
      if (nowMs - lookedAtMs < lookEveryMs) return isStuck
      lookedAtMs = nowMs
      isStuck = look(nowMs)
      return isStuck
    },
  }
}
