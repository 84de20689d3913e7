import { Problem } from '#core/problem.ts'
import type { Guard } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import { insufficientScope } from './challenge.ts'
import { metadataUrl } from './metadata.ts'

/** The right of a caller. `self`: only to its own record. `reduced`: only to the reduced view. */
type Verdict = 'yes' | 'reduced' | 'self, else reduced' | 'self' | 'no'

export type Policy = Readonly<Record<string, PolicyRow>>

export interface PolicyRow {
  readonly anyone: Verdict
  readonly member: Verdict
  /** A token needs all scopes of one of these entries, which separate scopes by spaces. An empty entry admits every token. */
  readonly scopes: readonly string[]
  /** True if the bearer of an invitation may do the operation. */
  readonly invited?: true
  readonly notInBatch?: true
  /** True if the operation is closed to keys, whatever their scopes. */
  readonly isPersonal?: true
}

/** The rights of all callers (decision 0007). An administrator may do everything. */
export const policy: Policy = {
  'members:list': { anyone: 'yes', member: 'reduced', scopes: ['members:read'] },
  'members:create': { anyone: 'yes', member: 'no', scopes: ['members:create'] },
  'members:read': { anyone: 'yes', member: 'self, else reduced', scopes: ['members:read'] },
  'members:update': { anyone: 'yes', member: 'self', scopes: ['members:update'] },
  'members:delete': { anyone: 'yes', member: 'self', scopes: ['members:delete'] },
  'members:restore': { anyone: 'yes', member: 'no', scopes: ['members:restore'] },
  'members:erase': { anyone: 'yes', member: 'no', scopes: ['members:erase'] },
  'changes:read': { anyone: 'yes', member: 'no', scopes: ['changes:read'] },
  'members:role': { anyone: 'yes', member: 'no', scopes: ['members:role'] },
  'me:read': { anyone: 'yes', member: 'yes', scopes: [''] },
  'me:update': { anyone: 'yes', member: 'yes', scopes: [''], notInBatch: true, isPersonal: true },
  'tokens:create': { anyone: 'no', member: 'yes', scopes: [] },
  'tokens:delete': { anyone: 'no', member: 'yes', scopes: [] },
  // Each operation in a batch must also be allowed by the row of that operation.
  'batch:create': {
    anyone: 'yes',
    member: 'yes',
    scopes: [
      'members:create',
      'members:update',
      'members:delete',
      'members:erase',
      'members:role',
      'members:restore',
    ],
  },
  'members:invite': { anyone: 'yes', member: 'no', scopes: ['members:update'] },
  'members:invited': { anyone: 'no', member: 'no', scopes: [], invited: true },
  'members:history': { anyone: 'yes', member: 'self', scopes: ['changes:read members:read'] },
  'members:credential': { anyone: 'yes', member: 'self', scopes: ['members:update'] },
}

export const scopesByOperation = (rows: Policy) => (operation: string) => rowOf(rows, operation).scopes

/** Adds the rows of declared resources. A batch may contain changes of all resources, so the scope of any change admits a token to a batch. */
export const policyWith = (declared: Policy): Policy => {
  const batch = policy['batch:create']
  const scopes = Object.entries(declared).flatMap(([operation, row]) =>
    isChange.test(operation) && !row.notInBatch ? row.scopes : [],
  )
  return {
    ...policy,
    ...declared,
    ...(batch && { 'batch:create': { ...batch, scopes: [...scopes, ...batch.scopes] } }),
  }
}

const isChange = /:(?:create|update|delete|restore)$/

/** True if the caller may do everything that this scope permits. */
export const canGrant = (principal: Principal, scope: string, rows: Policy) => {
  const isMember = principal.kind === 'member'
  if (principal.scopes === undefined && !isMember) return true
  const rowsWithScope = Object.values(rows).filter((row) => row.scopes.includes(scope))
  const isPermitted = (row: PolicyRow) =>
    isMember ? row.member === 'yes' : isPermittedByScopes(principal, row)
  return rowsWithScope.length > 0 && rowsWithScope.every(isPermitted)
}

const isPermittedByScopes = ({ kind, scopes: own }: Principal, { scopes, isPersonal }: PolicyRow) =>
  !(isPersonal && kind === 'key') &&
  scopes.some((group) => group.split(' ').every((scope) => scope === '' || own?.has(scope)))

/** The operations that a caller may do, at least on its own record. */
export const permittedOperations = (principal: Principal, rows: Policy): readonly string[] =>
  Object.entries(rows)
    .filter(([, row]) => {
      const { kind } = principal
      if (kind === 'anyone' || kind === 'member') return row[kind] !== 'no'
      return kind === 'administrator' || isPermittedByScopes(principal, row)
    })
    .map(([operation]) => operation)

export const policyGuard = (
  recognition: Pick<Guard, 'recognize' | 'recognizeAgain'>,
  rows: Policy,
): Guard => ({
  ...recognition,
  // `me` is the calling member; for all other callers it is an unknown id (decision 0007).
  resolveAlias: (params, { id }) =>
    params.memberId === 'me' && id !== undefined ? { ...params, memberId: id } : undefined,
  admit(principal, { operation, params, caller }) {
    const row = rowOf(rows, operation)
    const isOwn = principal.id !== undefined && params.memberId === principal.id
    const { kind } = principal
    if (kind === 'invited') {
      if (row.invited && isOwn) return { principal, isOwn, view: 'full' }
      throw new Problem('forbidden')
    }
    if (kind === 'anyone' || kind === 'member')
      return { principal, isOwn, view: visibleView(row[kind], isOwn) }
    if (kind === 'administrator' || isPermittedByScopes(principal, row))
      return { principal, isOwn, view: 'full' }
    throw kind === 'key' || row.scopes.length === 0
      ? new Problem('forbidden')
      : insufficientScope(metadataUrl(caller), row.scopes)
  },
})

/** An operation without a row is closed to members, and requires a scope of the same name from a token. */
const rowOf = (rows: Policy, operation: string): PolicyRow =>
  rows[operation] ?? { anyone: 'yes', member: 'no', scopes: [operation] }

const visibleView = (verdict: Verdict, isSelf: boolean) => {
  if (verdict === 'yes') return 'full'
  if (verdict === 'reduced') return 'reduced'
  if (isSelf && verdict !== 'no') return 'full'
  if (verdict === 'self, else reduced') return 'reduced'
  throw new Problem('forbidden')
}
