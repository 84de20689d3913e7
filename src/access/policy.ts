import { Problem } from '#core/problem.ts'
import type { Guard } from '#http/api/guard.ts'
import type { Route } from '#http/api/routes.ts'
import { insufficientScope } from './challenge.ts'
import { metadataUrl } from './metadata.ts'
import type { Authenticate } from './principals.ts'

/** `self`: only what is the caller's own; `reduced`: no more than the reduced view. */
type Verdict = 'yes' | 'reduced' | 'self, else reduced' | 'self' | 'no'

interface PolicyRow {
  readonly anyone: Verdict
  readonly administrator: Verdict
  readonly member: Verdict
  /** A token needs one of these, or all of those that stand together. */
  readonly scopes: readonly string[]
}

/** Who may do what (decision 0007). An operation without a row is closed to members, and a token needs a scope of its name. */
export const policy: Readonly<Record<string, PolicyRow>> = {
  'todos:read': { anyone: 'yes', administrator: 'yes', member: 'yes', scopes: ['todos:read', 'READ'] },
  'todos:create': { anyone: 'yes', administrator: 'yes', member: 'yes', scopes: ['todos:create', 'CREATE'] },
  'todos:update': { anyone: 'yes', administrator: 'yes', member: 'yes', scopes: ['todos:update', 'UPDATE'] },
  'todos:delete': { anyone: 'yes', administrator: 'yes', member: 'yes', scopes: ['todos:delete', 'DELETE'] },
  'members:list': { anyone: 'yes', administrator: 'yes', member: 'reduced', scopes: ['members:read'] },
  'members:create': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['members:create'] },
  'members:read': {
    anyone: 'yes',
    administrator: 'yes',
    member: 'self, else reduced',
    scopes: ['members:read'],
  },
  'members:update': { anyone: 'yes', administrator: 'yes', member: 'self', scopes: ['members:update'] },
  'members:delete': { anyone: 'yes', administrator: 'yes', member: 'self', scopes: ['members:delete'] },
  'members:erase': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['members:erase'] },
  'changes:read': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['changes:read'] },
  'members:role': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['members:role'] },
  'tokens:create': { anyone: 'no', administrator: 'yes', member: 'yes', scopes: [] },
  'tokens:delete': { anyone: 'no', administrator: 'yes', member: 'yes', scopes: [] },
  // Each operation is judged by its own row as well.
  'batch:create': {
    anyone: 'yes',
    administrator: 'yes',
    member: 'yes',
    scopes: [
      ...['todos:create', 'CREATE', 'todos:update', 'UPDATE', 'todos:delete', 'DELETE'],
      ...[
        'members:create',
        'members:update',
        'members:delete',
        'members:erase',
        'members:role',
        'keys:delete',
        'webhooks:update',
        'webhooks:delete',
      ],
    ],
  },
  'keys:read': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['keys:read'] },
  'keys:create': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['keys:create'] },
  'keys:delete': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['keys:delete'] },
  'webhooks:read': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['webhooks:read'] },
  'webhooks:create': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['webhooks:create'] },
  'webhooks:update': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['webhooks:update'] },
  'webhooks:delete': { anyone: 'yes', administrator: 'yes', member: 'no', scopes: ['webhooks:delete'] },
  'todos:history': {
    anyone: 'yes',
    administrator: 'yes',
    member: 'no',
    scopes: ['changes:read todos:read', 'changes:read READ'],
  },
  'members:history': {
    anyone: 'yes',
    administrator: 'yes',
    member: 'self',
    scopes: ['changes:read members:read'],
  },
  'members:credential': { anyone: 'yes', administrator: 'yes', member: 'self', scopes: ['members:update'] },
}

/** A token needs one of these for the operation, or all of those that stand together. */
export const scopesOf = (operation: string) => rowOf(operation).scopes

interface PolicyParts {
  readonly routes: readonly Route[]
  readonly recognize: Authenticate
}

/** Admits callers according to the policy. */
export const policyGuard = ({ routes, recognize }: PolicyParts): Guard => {
  const known = new Set(routes)
  return {
    recognize,
    // `me` is the calling member; for all other callers it is an unknown id (decision 0007).
    own: (params, { id }) =>
      params.memberId === 'me' && id !== undefined ? { ...params, memberId: id } : undefined,
    admit(principal, { route, operation = route.operation, params, caller }) {
      if (!known.has(route)) throw new Problem('forbidden')
      const row = rowOf(operation)
      const isOwn = principal.id !== undefined && params.memberId === principal.id
      const { kind, scopes } = principal
      if (kind !== 'client' && kind !== 'key')
        return { principal, isOwn, sees: visibleView(row[kind], isOwn) }
      if (row.scopes.some((needed) => needed.split(' ').every((scope) => scopes?.has(scope))))
        return { principal, isOwn, sees: 'full' }
      throw kind === 'key' || row.scopes.length === 0
        ? new Problem('forbidden')
        : insufficientScope(metadataUrl(caller), row.scopes)
    },
  }
}

const rowOf = (operation: string): PolicyRow =>
  policy[operation] ?? { anyone: 'yes', administrator: 'yes', member: 'no', scopes: [operation] }

const visibleView = (verdict: Verdict, isSelf: boolean) => {
  if (verdict === 'yes') return 'full'
  if (verdict === 'reduced') return 'reduced'
  if (isSelf && verdict !== 'no') return 'full'
  if (verdict === 'self, else reduced') return 'reduced'
  throw new Problem('forbidden')
}
