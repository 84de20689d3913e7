import type { IncomingMessage } from 'node:http'
import { Problem } from '#core/problem.ts'

/** The credential of a request. Of two, another server on the way may have looked at the other one. */
export const authorizationOf = ({ headers, rawHeaders }: IncomingMessage): string | undefined => {
  const { authorization } = headers
  if (authorization === undefined) return undefined
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (isAuthorization(rawHeaders[at])) count++
  if (count > 1) throw new Problem('httpSyntax')
  return authorization
}

const isAuthorization = (name: string | undefined) =>
  name?.length === 'authorization'.length && name.toLowerCase() === 'authorization'
