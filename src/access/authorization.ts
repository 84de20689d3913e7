import type { IncomingMessage } from 'node:http'
import { requireOnce } from '#http/exchange.ts'

/** The credential of a request, which may hold one (decision 0028). */
export const authorizationOf = (incoming: IncomingMessage): string | undefined => {
  const { authorization } = incoming.headers
  if (authorization !== undefined) requireOnce(incoming, 'authorization')
  return authorization
}
