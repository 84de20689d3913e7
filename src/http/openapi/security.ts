import type { Node } from './node.ts'

/** The access mode. `any` documents every mode at once. */
export type Access = 'any' | 'open' | 'basic' | 'oauth'

const schemes: Readonly<Record<'basic' | 'bearer' | 'oauth', Node>> = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'The sign id and password of a member or of the administrator, if the service is set to `basic`.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token that this service made for a sign id and password (`basic`), or a key that it made (`basic` and `oauth`). A token cannot make tokens. The secret of an invitation only permits choosing a password.',
  },
  oauth: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A JWT access token (RFC 9068) from the configured issuer, checked as RFC8725 advises, if the service is set to `oauth`.',
  },
}

export const securitySchemes = (access: Access): Node => {
  if (access === 'open') return {}
  return access === 'any' ? schemes : { [access]: schemes[access], bearer: schemes.bearer }
}

/** The security requirements of an operation, of which a caller must meet one. An empty requirement is always met. */
export const securityOf = (
  scopes: readonly string[],
  { access, keyScopes }: { readonly access: Access; readonly keyScopes: readonly string[] },
): readonly Node[] => {
  const requirements = {
    open: [{}],
    basic: [{ basic: [] }],
    oauth: scopes.map((group) => ({
      oauth: group.split(' ').filter((scope) => scope !== ''),
    })),
  }
  const required = access === 'any' ? Object.values(requirements).flat() : requirements[access]
  const isForKeys = scopes.some((group) =>
    group.split(' ').every((scope) => scope === '' || keyScopes.includes(scope)),
  )
  return access === 'open' || (access === 'oauth' && !isForKeys) ? required : [...required, { bearer: [] }]
}
