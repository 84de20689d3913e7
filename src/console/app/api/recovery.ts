import { connection } from '#console/app/state/connection.ts'
import { keepTrue } from '#console/app/state/live.ts'
import { healthTimeout, wire } from './wire.ts'

const everyMs = 5_000

/** While the service is away, checks now and then whether it is back, and at once when the browser is online again. */
export const watchRecovery = () => {
  let checking: ReturnType<typeof keepTrue> | undefined
  connection.watch(() => {
    checking?.end()
    checking = connection.get().state === 'up' ? undefined : keepTrue(check, { everyMs })
  })
}

const check = async () => {
  await wire('/health/ready', { signal: healthTimeout() })
  return true
}
