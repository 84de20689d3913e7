import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './errors.ts'

const firstPauseMs = 2
const maxPauseMs = 50

/** Retries the work while another process holds a lock. Does not block this thread. */
export const retryWhileBusy = async <T>(limitMs: number, work: () => T): Promise<T> => {
  const giveUpAtMs = performance.now() + limitMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAtMs) throw error
    }
    await sleep(pauseMs)
  }
}
