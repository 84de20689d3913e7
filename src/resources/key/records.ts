import { importedInstant, recordsOf } from '#resources/imported.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { ImportedKey } from './schema.ts'
import { keyTable, type StoredKey } from './store.ts'

/** Keys as stored, and as a file holds them: with the hash of the secret, never the secret. */
export const keyRecords = (db: Database): RoomRecords<StoredKey> => ({
  ...recordsOf(db, keyTable, 'keys'),

  async read(body, { newId, now }) {
    const { keyId, expiresAt, createdAt, lastUsedAt, ...rest } = body as ImportedKey
    return {
      ...rest,
      keyId: keyId ?? newId(),
      expiresAt: importedInstant('expiresAt', expiresAt) ?? null,
      createdAt: importedInstant('createdAt', createdAt) ?? now,
      lastUsedAt: importedInstant('lastUsedAt', lastUsedAt) ?? null,
      version: 1,
    }
  },
})
