import { type Policy, permittedOperations } from '#access/policy.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'
import { Me } from './caller.ts'

/** Adds the route that tells a caller who it is and what it may do. */
export const meRoute = (http: Routes, policy: Policy) =>
  http.get(
    '/me',
    { operation: 'me:read', summary: 'Get the caller', shows: { full: Me } },
    async ({ principal }) => toMe(principal, policy),
  )

const toMe = (principal: Principal, policy: Policy) => {
  const { kind, name, id, until } = principal
  const isPerson = kind === 'member' || kind === 'administrator'
  return {
    kind,
    name,
    id: id ?? (kind === 'key' ? name.replace(/^key:/, '') : null),
    role: isPerson ? kind : null,
    may: permittedOperations(principal, policy),
    until: until ?? null,
    version: 1,
  }
}

export const meDocument: ResourceDocument = {
  tag: 'Caller',
  description: 'The identity and the permissions of the caller.',
  fields: {
    'me.kind': 'The kind of identity. `anyone`: the service does not authenticate callers (`ACCESS=open`).',
    'me.name': 'The name of the principal. Rate limits count by it, and tokens are issued to it.',
    'me.id': 'The id of the member or key. Null: the caller is neither a member nor a key.',
    'me.role': 'The role of a person. Null: the caller is not a person.',
    'me.may': 'The permitted operations. Members may perform some of them only on their own record.',
    'me.until': 'When the token or key expires. Null: never, or the caller signed in with a password.',
    Me: 'The caller.',
  },
  operations: {
    'GET /me': {
      id: 'getCaller',
      description:
        'Who the caller is, what it may do, and until when. Every authenticated caller may read this.',
      answer: {
        kind: 'member',
        name: 'member:019e6a3c-6c00-7000-8000-000000000001',
        id: '019e6a3c-6c00-7000-8000-000000000001',
        role: 'member',
        may: ['members:read', 'todos:read'],
        until: '2026-11-21T18:45:00.123Z',
      },
    },
  },
}
