import { connection } from '#console/app/state/connection.ts'
import { lookEnd, wire } from './wire.ts'

const lookEveryMs = 5_000

/** While the service is away, checks now and then whether it is back, and at once when the browser is online again. */
export const watchRecovery = () => {
  let timer: ReturnType<typeof setInterval> | undefined
  connection.watch(() => {
    clearInterval(timer)
    timer = connection.get().state === 'up' ? undefined : setInterval(look, lookEveryMs)
  })
  addEventListener('online', look)
}

let isLooking = false

const look = async () => {
  if (document.hidden || isLooking) return
  isLooking = true
  await wire('/health/ready', { signal: lookEnd() }).catch(() => undefined)
  isLooking = false
}
