import {
  Assigned,
  CodeList,
  Hashed,
  Id,
  List,
  Nullable,
  ReadOnly,
  StoredText,
  Text,
  TimestampText,
  UtcTimestamp,
  type ValueOf,
} from '#core/schema.ts'
import { Imported, Requested, Shown } from '#core/shapes.ts'

/** What a key may permit: everything but making keys and giving roles. */
export const keyScopes = [
  'todos:read',
  'todos:create',
  'todos:update',
  'todos:delete',
  'members:read',
  'members:create',
  'members:update',
  'members:delete',
  'members:erase',
  'changes:read',
  'webhooks:read',
  'webhooks:create',
  'webhooks:update',
  'webhooks:delete',
] as const

/** What keys may also permit where resources with these policies are declared. */
export const declaredScopes = (declared: readonly { readonly policy?: object }[]): readonly string[] =>
  declared.flatMap(({ policy = {} }) => Object.keys(policy)).filter((scope) => !scope.endsWith(':history'))

export type KeyScope = (typeof keyScopes)[number]

/** Each field of a key stands here, and is a column of its table. A key may also permit what is declared besides. */
const keyFieldsWith = (further: readonly string[]) => ({
  keyId: ReadOnly(Id),
  name: Text(1, 64),
  scopes: List('scope', CodeList('CL_SCOPE', [...keyScopes, ...(further as readonly KeyScope[])])),
  expiresAt: Nullable(UtcTimestamp),
  createdAt: ReadOnly(UtcTimestamp),
  lastUsedAt: ReadOnly(Nullable(UtcTimestamp)),
  /** As the log of changes names its maker. Null in a key from before makers were kept. */
  createdBy: ReadOnly(Nullable(Text(1, 8192))),
})

export const keyFields = keyFieldsWith([])

/** Why the member who made a key could make it no more. */
export const orphaned = ['suspended', 'demoted', 'removed'] as const

/** What answers show of keys, and what requests and files may contain. */
export const keyShapes = (further: readonly string[]) => {
  const fields = keyFieldsWith(further)
  const shown = { ...fields, orphaned: ReadOnly(Nullable(CodeList('CL_ORPHANED', orphaned))) }
  const { lastUsedAt: _, ...others } = fields
  return {
    Key: Shown('key', shown),
    /** As it is shown once, when it is made. */
    MadeKey: Shown('createdKey', { ...shown, secret: ReadOnly(Text(46, 46)) }),
    NewKey: Requested('key', { ...shown, expiresAt: Nullable(TimestampText) }),
    ImportedKey: Imported('key', {
      ...others,
      expiresAt: Nullable(TimestampText),
      lastUsedAt: Nullable(TimestampText),
      keyHash: Hashed(StoredText),
      creatorId: Assigned(Id),
    }),
  }
}

export type KeyShapes = ReturnType<typeof keyShapes>

export type Key = ValueOf<KeyShapes['Key']> & { readonly version: number; readonly beside?: string }
export type MadeKey = Key & { readonly secret: string }
export type NewKey = ValueOf<KeyShapes['NewKey']>
export type ImportedKey = ValueOf<KeyShapes['ImportedKey']>
