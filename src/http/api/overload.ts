import { overloaded, Problem } from '#core/problem.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { type WaitingRequest, waitingRequests } from './waiting-line.ts'

/** Limits the requests that wait for one kind of work, so that those that enter are answered in time. */
export interface Gate {
  /** Throws if the caller should retry later. */
  enter(exchange: Exchange): WaitingRequest
  /** If the request was refused for overload, the gate lets no more than the present number of requests in for a short time. */
  leave(waiting: WaitingRequest, refusal?: unknown): void
}

export type Overload = ReturnType<typeof overload>

const tickMs = 10

/** Once a turn of the event loop has worked this long and admitted this many requests, it refuses the rest. */
const maxTurnMs = 100
const requestsPerTurn = 128

/** Refusing a small read takes as long as answering it, so at most about a tenth of the time goes into refusals. */
const refusalsPerSecond = 3_000

/** The duration of a gate's lower limit after a refusal for overload. */
const reducedMs = 50

/** Refuses requests that would wait too long, at once and cheaply, so that the others are answered in time (decision 0029). */
export const overload = () => {
  let tickedAtMs = performance.now()
  let workedMs = workMs()
  let enteredThisTurn = 0
  let refusalsLeft = 0
  const timer = setInterval(() => {
    const now = performance.now()
    const addedRefusals = ((now - tickedAtMs) * refusalsPerSecond) / 1000
    refusalsLeft = Math.min(refusalsLeft + addedRefusals, refusalsPerSecond / 4)
    tickedAtMs = now
    workedMs = workMs()
    enteredThisTurn = 0
  }, tickMs).unref()

  /** Refuses only if this thread itself used `maxTurnMs` of processor time, because another process may have caused the delay. */
  const refuseLate = ({ startedAtMs }: Exchange) => {
    if (enteredThisTurn++ < requestsPerTurn || startedAtMs - tickedAtMs <= maxTurnMs) return
    if (refusalsLeft < 1 || workMs() - workedMs <= maxTurnMs) return
    refusalsLeft--
    throw overloaded()
  }

  return {
    /** Makes a gate for one kind of work. A gate that is full refuses none of the requests at other gates. */
    gate(): Gate {
      const inside = waitingRequests()
      let maxInside = Number.POSITIVE_INFINITY
      let reducedUntilMs = 0
      return {
        enter(exchange) {
          if (inside.size() >= maxInside && exchange.startedAtMs < reducedUntilMs) throw overloaded()
          refuseLate(exchange)
          if (inside.isOverdue(exchange.startedAtMs)) throw overloaded()
          return inside.add(exchange)
        },
        leave(waiting, refusal) {
          inside.remove(waiting)
          if (!isOverload(refusal)) return
          maxInside = inside.size()
          reducedUntilMs = performance.now() + reducedMs
        },
      }
    },
    stop: () => clearInterval(timer),
  }
}

const isOverload = (error: unknown) => error instanceof Problem && error.kind === 'overloaded'

const workMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
