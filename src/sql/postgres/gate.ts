import { storageUnavailable } from '#core/problem.ts'
import type { Observer } from '#sql/engine.ts'
import { slots } from '#sql/slots.ts'
import { limits } from './limits.ts'

export type Gate = ReturnType<typeof gate>

/**
 * Lets writes in. When commits are not answered, as while a standby stands still, each that waits holds a session
 * here and one at the server: then a single one tries, and the others are told at once.
 */
export const gate = (observer: Observer) => {
  const { writes: taken, waiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('every connection for writes is in use'))
  const places = slots({ taken, waiting, waitMs, refusal })
  observer.poolOpened?.('writes', places)
  let isDoubtful = false

  return {
    async enter() {
      if (isDoubtful && places.taken() > 0) throw storageUnavailable(new Error('commits are not answered'))
      await places.take()
    },
    leave: places.give,
    answered() {
      isDoubtful = false
    },
    notAnswered() {
      isDoubtful = true
    },
  }
}
