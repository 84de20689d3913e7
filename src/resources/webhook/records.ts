import { bodyInvalid } from '#core/problem.ts'
import type { ValueOf } from '#core/schema.ts'
import { Imported } from '#core/shapes.ts'
import { importedInstant, recordsOf, shownOf } from '#resources/imported.ts'
import type { RoomRecords } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { addressOf } from './addresses.ts'
import { urlNotPublic } from './messages.ts'
import { maxUrlLength, webhookFields } from './schema.ts'
import { type StoredWebhook, webhookTable } from './store.ts'

/** What a file may contain for a webhook. Its secret stays in the database: one that is imported has none until it is given one. */
export const ImportedWebhook = Imported('webhook', webhookFields)

export const webhookRecords = (db: Database): RoomRecords<StoredWebhook> => ({
  ...recordsOf(db, webhookTable, 'webhooks'),

  shown: (webhook) => {
    const { sealed: _, formerSealed: __, formerUntil: ___, ...others } = shownOf(webhookTable, webhook)
    return others
  },

  async read(body, { newId, now }) {
    const { webhookId, createdAt, url: given, ...rest } = body as ValueOf<typeof ImportedWebhook>
    // Which hosts may be called is for the service to say that calls them.
    const url = addressOf(given, () => true)
    if (url === undefined || url.length > maxUrlLength) throw bodyInvalid([urlNotPublic])
    return {
      ...rest,
      url,
      webhookId: webhookId ?? newId(),
      createdAt: importedInstant('createdAt', createdAt) ?? now,
      ...{ sealed: null, formerSealed: null, formerUntil: null, version: 1 },
    }
  },
})
