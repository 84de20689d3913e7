import { overloaded } from '#core/problem.ts'
import type { Exchange } from './exchange.ts'

/** Stands before a route, and lets in what can be answered in time. */
export interface Gate {
  /** Throws when the request had better come again later. */
  enter(exchange: Exchange): void
  leave(exchange: Exchange): void
}

export interface Overload {
  /** A gate for one kind of work: where one kind waits, the others go on. */
  gate(): Gate
  stop(): void
}

const tickMs = 10

/** So much may one turn of the event loop work, and so many requests take in; later ones are told to come again. */
const longestTurnMs = 100
const requestsOfTurn = 128

/** Refusing costs time too: more than these a second would take it from the answers. */
const refusalsPerSecond = 5_000

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

  return {
    gate() {
      const line = waitingLine()
      return {
        enter(exchange) {
          refuseLate(exchange)
          if (line.isStuck(exchange.startedAtMs)) throw overloaded()
          line.add(exchange)
        },
        leave: line.remove,
      }
    },
    stop: () => clearInterval(timer),
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
