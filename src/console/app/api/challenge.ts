/** How the service wants to be told who asks. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer'
  /** Where the service describes who gives out its tokens (RFC 9728). */
  readonly metadata?: string
}

/** What a 401 asks for, by its WWW-Authenticate. */
export const readChallenge = (field: string | null): Challenge | undefined => {
  if (field === null) return undefined
  if (/^basic\b/i.test(field)) return { scheme: 'basic' }
  if (!/^bearer\b/i.test(field)) return undefined
  const [, metadata] = /resource_metadata="([^"]+)"/.exec(field) ?? []
  return { scheme: 'bearer', ...(metadata && { metadata }) }
}
