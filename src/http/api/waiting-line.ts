import type { Exchange } from '#http/wire/exchange.ts'

/** This many requests may always wait for storage or a hash. More may wait only while no request has waited too long. */
const alwaysAllowed = 64
const maxWaitMs = 1_000
const checkIntervalMs = 100

export interface Waiting {
  readonly exchange: Exchange
  place: number
  sinceMs: number | undefined
}

/**
 * The requests that wait for one kind of work. Each waits from the check that finds it complete. Their order does not matter: the
 * last one takes the place of one that leaves, so that entering and leaving cost nothing.
 */
export const waitingLine = () => {
  const line: Waiting[] = []
  let checkedAtMs = 0
  let isStuck = false

  const anyOverdue = (nowMs: number) => {
    let stuck = false
    for (const waiting of line) {
      const { exchange, sinceMs } = waiting
      if (sinceMs === undefined && exchange.incoming.complete) waiting.sinceMs = nowMs
      if (sinceMs !== undefined && nowMs - sinceMs > maxWaitMs) stuck = true
    }
    return stuck
  }

  return {
    size: () => line.length,

    add(exchange: Exchange): Waiting {
      const waiting = { exchange, place: line.length, sinceMs: undefined }
      line.push(waiting)
      return waiting
    },

    remove(waiting: Waiting) {
      const last = line.pop()
      if (last === undefined || last === waiting) return
      line[waiting.place] = last
      last.place = waiting.place
    },

    isStuck(nowMs: number): boolean {
      if (line.length < alwaysAllowed) return false
      if (nowMs - checkedAtMs < checkIntervalMs) return isStuck
      checkedAtMs = nowMs
      isStuck = anyOverdue(nowMs)
      return isStuck
    },
  }
}
