import { connection } from '#console/app/state/connection.ts'
import { healthTimeout, wire } from './wire.ts'

const checkIntervalMs = 5_000

/** While the service is away, checks now and then whether it is back, and at once when the browser is online again. */
export const watchRecovery = () => {
  let timer: ReturnType<typeof setInterval> | undefined
  connection.watch(() => {
    clearInterval(timer)
    timer = connection.get().state === 'up' ? undefined : setInterval(check, checkIntervalMs)
  })
  addEventListener('online', check)
}

let isChecking = false

const check = async () => {
  if (document.hidden || isChecking) return
  isChecking = true
  await wire('/health/ready', { signal: healthTimeout() }).catch(() => undefined)
  isChecking = false
}
