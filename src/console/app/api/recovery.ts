import { connection } from '#console/app/state/connection.ts'
import { wire } from './wire.ts'

const lookEveryMs = 5_000

/** While the service is away, looks now and then whether it is back, and at once when the browser has a network again. */
export const watchRecovery = () => {
  let timer: ReturnType<typeof setInterval> | undefined
  connection.watch(() => {
    clearInterval(timer)
    timer = connection.get().state === 'up' ? undefined : setInterval(look, lookEveryMs)
  })
  addEventListener('online', look)
}

const look = () => {
  if (!document.hidden) void wire('/health/ready').catch(() => undefined)
}
