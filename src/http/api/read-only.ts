import { Problem } from '#core/problem.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { Exchange } from '#http/wire/exchange.ts'
import { requireKnownExpectation } from '#http/wire/expectation.ts'

export const readOnlyMethods = 'GET, HEAD, OPTIONS'

/** For a read-only path: undefined for GET and HEAD, the answer to OPTIONS. Throws for other methods. */
export const answerUnlessRead = (exchange: Exchange): Answer | undefined => {
  const { method } = exchange
  if (method === 'OPTIONS') return { status: 204, headers: ['Allow', readOnlyMethods] }
  if (method !== 'GET' && method !== 'HEAD')
    throw new Problem('methodNotAllowed', { headers: { Allow: readOnlyMethods } })
  requireKnownExpectation(exchange)
  return undefined
}
