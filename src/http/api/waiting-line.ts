import type { Exchange } from '#http/wire/exchange.ts'

/** This many requests may always wait for the database or a hash. More may wait only while no request has waited too long. */
const alwaysAllowed = 64
const maxWaitMs = 1_000
const checkIntervalMs = 100

export interface WaitingRequest {
  readonly exchange: Exchange
  index: number
  sinceMs: number | undefined
}

/**
 * The requests that wait for one kind of work. The wait of a request begins at the first check after its body has arrived. Their
 * order does not matter: if one leaves, the last one moves to its index, so that entering and leaving cost nothing.
 */
export const waitingRequests = () => {
  const requests: WaitingRequest[] = []
  let checkedAtMs = 0
  let hadOverdue = false

  const checkOverdue = (nowMs: number) => {
    let hasOverdue = false
    for (const waiting of requests) {
      const { exchange, sinceMs } = waiting
      if (sinceMs === undefined && exchange.incoming.complete) waiting.sinceMs = nowMs
      if (sinceMs !== undefined && nowMs - sinceMs > maxWaitMs) hasOverdue = true
    }
    return hasOverdue
  }

  return {
    size: () => requests.length,

    add(exchange: Exchange): WaitingRequest {
      const waiting = { exchange, index: requests.length, sinceMs: undefined }
      requests.push(waiting)
      return waiting
    },

    remove(waiting: WaitingRequest) {
      const last = requests.pop()
      if (last === undefined || last === waiting) return
      requests[waiting.index] = last
      last.index = waiting.index
    },

    isOverdue(nowMs: number): boolean {
      if (requests.length < alwaysAllowed) return false
      if (nowMs - checkedAtMs < checkIntervalMs) return hadOverdue
      checkedAtMs = nowMs
      hadOverdue = checkOverdue(nowMs)
      return hadOverdue
    },
  }
}
