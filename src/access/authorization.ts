import type { IncomingMessage } from 'node:http'
import { refuseRepeatedField } from '#http/wire/exchange.ts'

/** The Authorization header of a request. Refuses a repeated one, because a proxy may have checked the other (decision 0028). */
export const authorizationOf = (incoming: IncomingMessage): string | undefined => {
  const { authorization } = incoming.headers
  if (authorization !== undefined) refuseRepeatedField(incoming, 'Authorization')
  return authorization
}
