import { bodyInvalid, Problem } from '#core/problem.ts'
import {
  Hashed,
  Id,
  Nullable,
  ReadOnly,
  type Schema,
  StoredText,
  UniqueWords,
  UtcTimestamp,
} from '#core/schema.ts'
import { principalTopic } from '#ledger/token-ends.ts'
import { type ShippedParts, type StoredRecord, shipped } from '#resources/declaration.ts'
import type { RuleContext } from '#resources/rule.ts'
import {
  type KeyScope,
  keyDeclaration,
  keyJoinedFields,
  keySecret,
  keyServiceFields,
  scopesWith,
} from './declaration.ts'
import { orphanedColumn, warnOfOrphanedKeys } from './orphaned.ts'
import { keyCodes, keyErrors, keyFinders, keyName, newSecret, toStoredSecret } from './secret.ts'

type Key = StoredRecord<'key', (typeof keyDeclaration)['fields']>

const shippedParts: ShippedParts<Key> = {
  serviceWritten: keyServiceFields,
  initialValues: ({ name, id }) => ({ lastUsedAt: null, createdBy: id ?? name, creatorId: id ?? null }),
  storageFields: {
    /** Stored as text, because a scope may name a resource that is no longer declared. */
    scopes: UniqueWords('scope', StoredText as Schema<KeyScope>),
    keyHash: Hashed(StoredText),
    creatorId: ReadOnly(Nullable(Id)),
    /** The hashes of former secrets, each with its expiry. */
    formerHashes: ReadOnly(Nullable(StoredText)),
    /** The latest expiry of the former secrets. */
    formerUntil: ReadOnly(Nullable(UtcTimestamp)),
  },
  addedByMigrations: ['createdBy', 'creatorId', 'hint', 'formerHashes', 'formerUntil'],
  joinedFields: { fields: keyJoinedFields, ...orphanedColumn },
  secret: {
    schema: keySecret,
    description: 'The key itself, shown once. Send it as `Authorization: Bearer`.',
    example: 'rk_qO5Y0p9mB3xJ7c2sVtR8wZ1aLhKdNfGuE4iQyXoP6bM',
    refusals: [keyCodes.tooManyKeySecrets],
    generate: newSecret,
    toStored: toStoredSecret,
  },
  unloggedFields: ['lastUsedAt'],
  errorCodes: keyCodes,
  errors: keyErrors,
  notification: (keyId) => [principalTopic, keyName(keyId)],
  open: keyFinders,
  warning: warnOfOrphanedKeys,
  rederivingMigrations: ['003-renewal'],
  document: {
    operations: {
      'POST /keys': {
        description:
          'Creates a key. Its scopes must not exceed the rights of the caller. Only this answer shows the `secret`, because only its hash is stored. To replace a key without interruption, create the new key before deleting the old one.',
      },
      'PATCH /keys/:keyId': {
        description:
          'Changes some fields of a key with a merge patch (RFC 7396). The change takes effect at once, on every instance. A key whose scopes exceed the rights of the caller cannot be changed.',
      },
      'DELETE /keys/:keyId': { description: 'Deletes a key. The key is refused at once, on every instance.' },
    },
  },
}

/** Refuses scopes that the caller does not have, and an expiry in the past. */
const validated = (key: Key, before: Key | undefined, { now, caller }: RuleContext) => {
  const excess = key.scopes.filter((scope) => !caller.may(scope))
  if (excess.length > 0) throw mayNotGrant(excess)
  const { expiresAt } = key
  if (expiresAt !== null && expiresAt <= now && expiresAt !== before?.expiresAt)
    throw bodyInvalid([{ code: 'Future', target: 'expiresAt' }])
  return key
}

const mayNotGrant = (scopes: readonly string[]) => {
  const args = { excess: scopes.join(', ') }
  return new Problem('forbidden', {
    details: [{ code: 'Pattern', wording: 'Pattern.granted', target: 'scopes', args }],
  })
}

/** The resource of keys. A key can have the scopes of `keyScopes` and these further ones. */
export const keyWith = (furtherScopes: readonly string[]) =>
  shipped(
    {
      ...keyDeclaration,
      fields: { ...keyDeclaration.fields, scopes: scopesWith(furtherScopes) },
      rules: { create: (key, context) => validated(key, undefined, context), update: validated },
      migrations: new URL('./migrations/', import.meta.url),
    },
    shippedParts,
  )

export const key = keyWith([])
