import type { Config } from '#src/config.ts'
import type { Diagnosis } from './doctor.ts'
import { ask } from './health.ts'

const check = 'tasks'

/** Asks the service that runs with these settings about its background tasks. Empty if none runs. */
export const examineTasks = async (config: Config): Promise<readonly Diagnosis[]> => {
  const { MANAGEMENT_HOST: host, MANAGEMENT_PORT: port } = config
  if (port === 'off') return []
  const failing = await ask(config, { host, port, method: 'GET', path: '/health/ready' })
    .then(({ body }) => failingIn(body))
    .catch(() => undefined)
  if (!failing) return []
  if (failing.length === 0)
    return [{ check, verdict: 'good', says: 'the background tasks of the running service succeed' }]
  return [
    {
      check,
      verdict: 'look',
      says: `failing in the running service: ${failing.join(', ')}; its log says why`,
    },
  ]
}

/** The failing tasks in the answer of /health/ready. Undefined for any other text. */
const failingIn = (body: string): readonly string[] | undefined => {
  const { status, failing = [] } = JSON.parse(body)
  return status === 'up' || status === 'down' ? failing : undefined
}
