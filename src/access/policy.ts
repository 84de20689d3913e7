import { Problem } from '#core/problem.ts'
import type { Guard, Params, Principal } from '#http/api/guard.ts'
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
    admit(principal, { route, operation = route.operation, params, caller }) {
      if (!known.has(route)) throw new Problem('forbidden')
      const row = rowOf(operation)
      if (principal.kind !== 'client')
        return { principal, sees: visibleView(row[principal.kind], principal, params) }
      if (row.scopes.some((needed) => needed.split(' ').every((scope) => principal.scopes?.has(scope))))
        return { principal, sees: 'full' }
      throw insufficientScope(metadataUrl(caller), row.scopes)
    },
  }
}

const rowOf = (operation: string): PolicyRow =>
  policy[operation] ?? { anyone: 'yes', administrator: 'yes', member: 'no', scopes: [operation] }

const visibleView = (verdict: Verdict, principal: Principal, params: Params) => {
  if (verdict === 'yes') return 'full'
  if (verdict === 'reduced') return 'reduced'
  const isSelf = principal.memberId !== undefined && params.memberId === principal.memberId
  if (isSelf && verdict !== 'no') return 'full'
  if (verdict === 'self, else reduced') return 'reduced'
  throw new Problem('forbidden')
}
