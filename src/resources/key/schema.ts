import {
  CodeList,
  Id,
  List,
  Nullable,
  ReadOnly,
  Requested,
  Shown,
  Text,
  TimestampText,
  UtcTimestamp,
  type ValueOf,
} from '#core/schema.ts'

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

/** Each field of a key stands here, and is a column of its table. */
export const keyFields = {
  keyId: ReadOnly(Id),
  name: Text(1, 64),
  scopes: List('scope', CodeList('CL_SCOPE', keyScopes)),
  expiresAt: Nullable(UtcTimestamp),
  createdAt: ReadOnly(UtcTimestamp),
  lastUsedAt: ReadOnly(Nullable(UtcTimestamp)),
  /** As the log of changes names its maker. Null in a key from before makers were kept. */
  createdBy: ReadOnly(Nullable(Text(1, 8192))),
}

/** Why the member who made a key could make it no more. */
export const orphaned = ['suspended', 'demoted', 'removed'] as const

const shownFields = { ...keyFields, orphaned: ReadOnly(Nullable(CodeList('CL_ORPHANED', orphaned))) }

export const Key = Shown('key', shownFields)
export type Key = ValueOf<typeof Key> & { readonly version: number; readonly beside?: string }

/** A key as it is shown once, when it is made. */
export const MadeKey = Shown('createdKey', { ...shownFields, secret: ReadOnly(Text(46, 46)) })
export type MadeKey = Key & { readonly secret: string }

export const NewKey = Requested('key', { ...shownFields, expiresAt: Nullable(TimestampText) })
export type NewKey = ValueOf<typeof NewKey>
