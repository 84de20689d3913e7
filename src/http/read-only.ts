import { Problem } from '#core/problem.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { requireMet } from './expectation.ts'

/** The methods of what can only be read. */
export const readOnlyMethods = 'GET, HEAD, OPTIONS'

/** The answer of what can only be read to whoever asks for something else than to read it. */
export const unlessRead = (exchange: Exchange): Answer | undefined => {
  const { method } = exchange
  if (method === 'OPTIONS') return { status: 204, headers: ['Allow', readOnlyMethods] }
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', { headers: { Allow: readOnlyMethods } })
  requireMet(exchange)
  return undefined
}
