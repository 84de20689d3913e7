import { overloaded, Problem } from '#core/problem.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { type Waiting, waitingLine } from './waiting-line.ts'

/** Guards one kind of work, and admits the requests that can be answered in time. */
export interface Gate {
  /** Throws when the request should be retried later. */
  enter(exchange: Exchange): Waiting
  /** After a refusal for overload, the gate admits for a while only as many requests as are inside now. */
  leave(waiting: Waiting, refusal?: unknown): void
}

export type Overload = ReturnType<typeof overload>

const tickMs = 10

/** Once a turn of the event loop has worked this long and admitted this many requests, it refuses the rest. */
const maxTurnMs = 100
const requestsPerTurn = 128

/** Refusing a small read takes as long as answering it, so at most about a tenth of the time goes into refusals. */
const refusalsPerSecond = 3_000

/** For how long after a refusal behind a gate it admits only as many requests as were inside then. */
const fullMs = 50

/** Refuses work that would have to wait, at once and cheaply, so that admitted work is answered in time (decision 0029). */
export const overload = () => {
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

  /** Counts processor time too, because another process may have used the elapsed time. */
  const refuseLate = ({ startedAtMs }: Exchange) => {
    if (entered++ < requestsPerTurn || startedAtMs - tickedAtMs <= maxTurnMs) return
    if (refusalsLeft < 1 || workMs() - workedMs <= maxTurnMs) return
    refusalsLeft--
    throw overloaded()
  }

  return {
    /** A gate for one kind of work: when one kind has to wait, the others carry on. */
    gate(): Gate {
      const line = waitingLine()
      let places = Number.POSITIVE_INFINITY
      let fullUntilMs = 0
      return {
        enter(exchange) {
          if (line.size() >= places && exchange.startedAtMs < fullUntilMs) throw overloaded()
          refuseLate(exchange)
          if (line.isStuck(exchange.startedAtMs)) throw overloaded()
          return line.add(exchange)
        },
        leave(waiting, refusal) {
          line.remove(waiting)
          if (!isOverload(refusal)) return
          places = line.size()
          fullUntilMs = performance.now() + fullMs
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
