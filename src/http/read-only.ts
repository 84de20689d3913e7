import { Problem } from '#core/problem.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { requireMet } from './expectation.ts'

/** The methods of what can only be read. */
export const readOnlyMethods = 'GET, HEAD, OPTIONS'

/** At a place that can only be read: undefined for GET and HEAD, the answer to OPTIONS, and a refusal for any other method. */
export const unlessRead = (exchange: Exchange): Answer | undefined => {
  const { method } = exchange
  if (method === 'OPTIONS') return { status: 204, headers: ['Allow', readOnlyMethods] }
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', { headers: { Allow: readOnlyMethods } })
  requireMet(exchange)
  return undefined
}
