import { Problem } from '#core/problem.ts'

const realm = 'realm="rollcall"'

/** The same answer for an unknown sign id, a wrong password and a missing one. */
export const basicRequired = () =>
  new Problem('unauthenticated', { headers: { 'WWW-Authenticate': `Basic ${realm}, charset="UTF-8"` } })

/** No token came, so the challenge names no error (RFC 6750, 3.1). */
export const tokenRequired = (metadataUrl: string) => bearer('unauthenticated', metadataUrl, '')

/** `why` is for the client's developer; it reveals nothing that the token itself does not. */
export const invalidToken = (metadataUrl: string, why: string) =>
  bearer('unauthenticated', metadataUrl, `, error="invalid_token", error_description="${why}"`)

/** The issuer's keys are unknown and it does not answer, so the token may be valid. */
export const issuerUnavailable = () =>
  new Problem('issuerUnavailable', { headers: { 'Retry-After': String(issuerRetrySeconds) } })

const issuerRetrySeconds = 5

export const insufficientScope = (metadataUrl: string, scopes: readonly string[]) =>
  bearer('forbidden', metadataUrl, `, error="insufficient_scope", scope="${scopes[0] ?? ''}"`)

const bearer = (kind: 'unauthenticated' | 'forbidden', metadataUrl: string, error: string) =>
  new Problem(kind, {
    headers: { 'WWW-Authenticate': `Bearer ${realm}, resource_metadata="${metadataUrl}"${error}` },
  })
