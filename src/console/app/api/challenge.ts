/** How the service wants callers to authenticate. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer'
  /** Where the service publishes which issuer its tokens come from (RFC 9728). */
  readonly metadata?: string
}

/** What a 401 asks for, according to WWW-Authenticate. */
export const readChallenge = (field: string | null): Challenge | undefined => {
  if (field === null) return undefined
  if (/^basic\b/i.test(field)) return { scheme: 'basic' }
  if (!/^bearer\b/i.test(field)) return undefined
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(field) ?? []
  return { scheme: 'bearer', ...(metadata && { metadata }) }
}
