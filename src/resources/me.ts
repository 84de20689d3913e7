import { type Policy, permitted } from '#access/policy.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Routes } from '#http/api/routes.ts'
import type { ResourceDocument } from '#http/openapi/room.ts'
import { Me } from './caller.ts'

/** Answers who the caller is, for every admitted caller. */
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
    ...{
      kind,
      name,
      id: id ?? (kind === 'key' ? name.replace(/^key:/, '') : null),
      role: isPerson ? kind : null,
    },
    ...{ may: permitted(principal, policy), until: until ?? null, version: 1 },
  }
}

export const meDocument: ResourceDocument = {
  tag: 'Caller',
  description: 'Who a caller is to the service.',
  fields: {
    'me.kind': 'What the caller came in as. `anyone`: the service asks nobody who they are.',
    'me.name': 'The name that limits and tokens go by.',
    'me.id': 'The id of the member or key. Null: the caller is neither.',
    'me.role': 'The role of a person. Null: the caller is none.',
    'me.may': 'The operations that are permitted, some of them only on what is its own.',
    'me.until': 'When the token or key ends. Null: never, or the caller came in with a password.',
    Me: 'The caller.',
  },
  operations: {
    'GET /me': {
      id: 'getCaller',
      description: 'Who the caller is, what it may do, and until when. For every caller that may come in.',
      answer: {
        ...{ kind: 'member', name: 'member:019e6a3c-6c00-7000-8000-000000000001' },
        ...{ id: '019e6a3c-6c00-7000-8000-000000000001', role: 'member' },
        ...{ may: ['members:read', 'todos:read'], until: '2026-11-21T18:45:00.123Z' },
      },
    },
  },
}
