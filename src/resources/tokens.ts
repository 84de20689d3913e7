import type { Tokens } from '#access/tokens.ts'
import { Problem } from '#core/problem.ts'
import { ReadOnly, Text, UtcTimestamp } from '#core/schema.ts'
import { ResponseOf } from '#core/shapes.ts'
import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'

const Token = ResponseOf('token', { token: ReadOnly(Text(1, 2_100)), expiresAt: ReadOnly(UtcTimestamp) })

/** Adds the routes that exchange a password for a token, so that a program need not store the password. */
export const tokenRoutes = (http: Routes, tokens: Pick<Tokens, 'create' | 'end'> = noTokens) => {
  http.post(
    '/tokens',
    { operation: 'tokens:create', summary: 'Create a token', shows: { full: Token }, showsSecret: true },
    ({ principal }) => tokens.create(principal),
  )
  http.delete(
    '/tokens',
    { operation: 'tokens:delete', summary: "End the caller's tokens", notInBatch: true },
    ({ principal }) => tokens.end(principal),
  )
}

/** Without password access, there are no tokens. */
const forbidden = async () => {
  throw new Problem('forbidden')
}
const noTokens = { create: forbidden, end: forbidden }

export const tokensDocument: ResourceDocument = {
  tag: 'Tokens',
  description: 'Tokens that a program sends instead of a password, with `ACCESS=basic`.',
  fields: {
    'token.token': 'Send it as `Authorization: Bearer`.',
    'token.expiresAt': 'Twelve hours after the token was created.',
    Token: 'A token of the caller.',
  },
  operations: {
    'POST /tokens': {
      id: 'createToken',
      description:
        'Exchanges a sign id and a password for a token. The token becomes invalid when the password or the role changes, or when the member is deleted. A caller with a token or a key cannot create a token.',
      answer: {
        token: 'rt_WyJtZW1iZXI6MDE5ZTZhM2MiXQ.8mC3xJ7c2sVtR8wZ1aLhKdNfGuE4iQyXoP6bMqO5Y0p',
        expiresAt: '2026-11-21T18:45:00.123Z',
      },
    },
    'DELETE /tokens': {
      id: 'endTokens',
      description: 'Ends all tokens of the caller, on every instance, including the token of this request.',
    },
  },
}
