import type { Answer } from '#http/answer.ts'
import type { Responder } from '#http/api.ts'

export interface Readiness {
  /** Why the service is not ready; empty if it is. */
  reasons(): Promise<readonly string[]>
}

const json = (status: number, body: object): Answer => ({
  status,
  headers: ['Content-Type', 'application/json', 'Cache-Control', 'no-store'],
  body: JSON.stringify(body),
})

/** The process answers. */
export const live: Responder = async () => json(200, { status: 'up' })

/** The service can do its work. */
export const ready =
  (readiness: Readiness): Responder =>
  async () => {
    const reasons = await readiness.reasons()
    return reasons.length === 0 ? json(200, { status: 'up' }) : json(503, { status: 'down', reasons })
  }
