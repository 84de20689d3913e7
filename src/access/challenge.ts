import { Problem } from '#core/problem.ts'
import type { Caller } from '#http/api/guard.ts'

const realm = 'realm="rollcall"'

const basic = `Basic ${realm}, charset="UTF-8"`
const basicOrValid = `${basic}, Bearer ${realm}, error="invalid_token"`

/**
 * The same response for an unknown sign id, a wrong password and a missing one. The response to a token or key also says that the
 * token is not valid (RFC 6750, 3).
 */
export const basicRequired = ({ incoming }: Pick<Caller, 'incoming'>) => {
  const isToken = /^bearer /i.test(incoming.headers.authorization ?? '')
  return new Problem('unauthenticated', {
    headers: { 'WWW-Authenticate': isToken ? basicOrValid : basic },
  })
}

/** The request has no token, so the challenge names no error (RFC 6750, 3.1). */
export const tokenRequired = (metadataUrl: string) => bearer('unauthenticated', metadataUrl, '')

/** `why` is for the developer of the client, and reveals nothing that the token does not contain. */
export const invalidToken = (metadataUrl: string, why: string) =>
  bearer('unauthenticated', metadataUrl, `, error="invalid_token", error_description="${why}"`)

/** The service has no keys of the issuer, and the issuer does not respond, so the token may be valid. */
export const issuerUnavailable = () =>
  new Problem('issuerUnavailable', { headers: { 'Retry-After': String(issuerRetrySeconds) } })

const issuerRetrySeconds = 5

export const insufficientScope = (metadataUrl: string, scopes: readonly string[]) =>
  bearer('forbidden', metadataUrl, `, error="insufficient_scope", scope="${scopes[0] ?? ''}"`)

const bearer = (kind: 'unauthenticated' | 'forbidden', metadataUrl: string, error: string) =>
  new Problem(kind, {
    headers: { 'WWW-Authenticate': `Bearer ${realm}, resource_metadata="${metadataUrl}"${error}` },
  })
