import type { IncomingMessage } from 'node:http'
import { refuseRepeatedField } from '#http/wire/exchange.ts'

/** The Authorization header of a request. Refuses several, because a proxy may have checked another one than the service (decision 0028). */
export const authorizationOf = (incoming: IncomingMessage): string | undefined => {
  const { authorization } = incoming.headers
  if (authorization !== undefined) refuseRepeatedField(incoming, 'Authorization')
  return authorization
}
