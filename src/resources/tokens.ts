import type { Tokens } from '#access/tokens.ts'
import { Problem } from '#core/problem.ts'
import { ReadOnly, Text, UtcTimestamp } from '#core/schema.ts'
import { Shown } from '#core/shapes.ts'
import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/room.ts'

const Token = Shown('token', { token: ReadOnly(Text(1, 2_100)), expiresAt: ReadOnly(UtcTimestamp) })

/** Exchanges a password for a token, for programs that should not keep the password. */
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

/** The answer if nobody can sign in with a password. */
const forbidden = async () => {
  throw new Problem('forbidden')
}
const noTokens = { create: forbidden, end: forbidden }

export const tokensDocument: ResourceDocument = {
  tag: 'Tokens',
  description: 'Tokens in place of a password, under `basic` access.',
  fields: {
    'token.token': 'Send it as `Authorization: Bearer`.',
    'token.expiresAt': 'Twelve hours after it was made.',
    Token: 'A token of the caller.',
  },
  operations: {
    'POST /tokens': {
      id: 'createToken',
      description:
        'Exchanges a sign id and a password for a token. It is refused as soon as the password or the role changes, or the member is deleted. A token or a key cannot make a token.',
      answer: {
        token: 'rt_WyJtZW1iZXI6MDE5ZTZhM2MiXQ.8mC3xJ7c2sVtR8wZ1aLhKdNfGuE4iQyXoP6bMqO5Y0p',
        expiresAt: '2026-11-21T18:45:00.123Z',
      },
    },
    'DELETE /tokens': {
      id: 'endTokens',
      description: 'Ends all tokens of the caller, on every instance, also the one that asks.',
    },
  },
}
