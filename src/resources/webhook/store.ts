import { isId } from '#core/id.ts'
import { CodeList, Id, Nullable, StoredText, UtcTimestamp, Whole } from '#core/schema.ts'
import type { StoredRecord } from '#resources/declaration.ts'
import { type Database, noResult, type Row, type Transaction } from '#sql/database.ts'
import { key, lookup, raw, sql } from '#sql/query.ts'
import { tableRecords } from '#sql/records.ts'
import { type StoredOf, type Table, table } from '#sql/table.ts'
import {
  type Delivery,
  deliveryFields,
  keptDeliveries,
  type webhookDeclaration,
  webhookStates,
} from './declaration.ts'

/** The stored fields of a webhook that are never shown. */
export const webhookStored = {
  /** The secret, encrypted; null if it has none yet. */
  sealed: Nullable(StoredText),
  /** The former secrets, separated by spaces. Each also signs until it expires. */
  formerSealed: Nullable(StoredText),
  formerUntil: Nullable(UtcTimestamp),
}

export interface StoredWebhook
  extends Omit<StoredRecord<'webhook', (typeof webhookDeclaration)['fields']>, 'lastModifiedAt'>,
    StoredOf<typeof webhookStored> {
  readonly version: number
}

/** The position of a webhook in the log of changes, and the state of its delivery. */
const progressFields = {
  webhookId: Id,
  logName: StoredText,
  number: Whole(0),
  idEnd: StoredText,
  state: CodeList('CL_WEBHOOK_STATE', webhookStates),
  since: UtcTimestamp,
  /** The number of failed attempts for its next change. */
  failures: Whole(0),
  nextAt: Nullable(UtcTimestamp),
  lastStatus: Nullable(Whole(100)),
  lastError: Nullable(StoredText),
  /** The number of times an operator moved it. */
  move: Whole(0),
  /** The branch of the log that the position belongs to. Null: whichever branch it meets next. */
  branch: Nullable(StoredText),
}
export type DeliveryProgress = StoredOf<typeof progressFields>

const placeTable = {
  name: 'webhook_place',
  key: 'webhookId',
  columns: { logName: 'history', idEnd: 'mark' },
  hasNoChecksum: true,
} as const
const progressTable = table({ ...placeTable, fields: progressFields })
const deliveryTable = table({
  name: 'webhook_delivery',
  // The number of the change. Earlier releases did not note it.
  fields: { ...deliveryFields, number: Nullable(Whole(0)), webhookId: Id },
  key: 'deliveryId',
  hasNoChecksum: true,
})

const { branch: _, ...copiedFields } = progressFields
const copiedTable = table({ ...placeTable, fields: copiedFields })

/** The progress and the deliveries of all webhooks. Without the branch, which means nothing in another database. */
export const deliveryRecords = (db: Database) =>
  [copiedTable, deliveryTable].map((one: Table<object>) => tableRecords(db, one))

export interface StoredDelivery extends Delivery {
  readonly number: number | null
}

export interface TrackedWebhook extends StoredWebhook {
  readonly progress: DeliveryProgress
}

/** Published with the id of a webhook that was changed or moved. */
export const webhookTopic = 'webhook'

const progressSelection = progressTable.selection('place_')

/** Reads the progress with a webhook. */
export const progressColumns = {
  selected: `webhook.sealed, ${progressSelection.selected}`,
  from: 'webhook LEFT JOIN webhook_place ON webhook_place.webhook_id = webhook.webhook_id',
  make: (row: Row) => ({ sealed: row.sealed, progress: progressIn(row) }),
}

const progressIn = (row: Row): DeliveryProgress => {
  if (row.place_history !== null) return progressSelection.toRecord(row)
  // An imported webhook has no position in this log until it is moved to one.
  return {
    ...{ webhookId: String(row.webhook_id), logName: '', number: 0, idEnd: '', state: 'lapsed' },
    ...{ since: Number(row.created_at), failures: 0, nextAt: null, lastStatus: null, lastError: null },
    ...{ move: 0, branch: null },
  }
}

/** Inserts the progress of a new webhook. False if the limit of webhooks is exceeded. */
export const startProgress = async (tx: Transaction, progress: DeliveryProgress, max: number) => {
  const [count = 0] = await tx.read(raw('SELECT count(*) AS total FROM webhook'), (row) => Number(row.total))
  if (count > max) return false
  await tx.run(progressTable.insert(progress))
  return true
}

export type WebhookStore = ReturnType<typeof webhookStore>

export const webhookStore = (db: Database, webhooks: Table<object>) => {
  const selected = `SELECT ${webhooks.selected}, ${progressSelection.selected}`
  const toTrackedWebhook = (row: Row): TrackedWebhook => ({
    ...(webhooks.toRecord(row) as StoredWebhook),
    progress: progressIn(row),
  })
  const byId = lookup({ select: selected, from: progressColumns.from, key: 'webhook.webhook_id' })

  return {
    find: (webhookId: string): Promise<TrackedWebhook | undefined> =>
      isId(webhookId) ? db.find(byId(webhookId), toTrackedWebhook) : noResult,

    all: (): Promise<readonly TrackedWebhook[]> =>
      db.read(raw(`${selected} FROM ${progressColumns.from} ORDER BY webhook.webhook_id`), toTrackedWebhook),

    put: (progress: DeliveryProgress) =>
      db.write(async (tx) => {
        const { webhookId } = progress
        await tx.run(sql`DELETE FROM webhook_place WHERE webhook_id = ${key(webhookId)}`)
        await tx.run(progressTable.insert(progress))
        await tx.publish(webhookTopic, webhookId)
      }),

    /** Replaces the progress, and records the delivery that led to it. False if another writer was faster. */
    advance: (
      { number, move }: DeliveryProgress,
      next: DeliveryProgress,
      delivery?: StoredDelivery,
    ): Promise<boolean> =>
      db.write(async (tx) => {
        const moved = await tx.run(
          sql`${progressTable.update(next)} AND number = ${number} AND move = ${move}`,
        )
        if (moved === 1 && delivery) await note(tx, next.webhookId, delivery)
        return moved === 1
      }),

    note: (webhookId: string, delivery: StoredDelivery) => db.write((tx) => note(tx, webhookId, delivery)),

    /** The kept deliveries, newest first. */
    deliveries: (webhookId: string): Promise<readonly StoredDelivery[]> =>
      db.read(
        sql`
          ${raw(`SELECT ${deliveryTable.selected}`)} FROM webhook_delivery WHERE webhook_id = ${webhookId}
          ORDER BY delivery_id DESC LIMIT ${keptDeliveries}`,
        deliveryTable.toRecord,
      ),
  }
}

/** Records the outcome of a delivery, and deletes the oldest. */
const note = async (tx: Transaction, webhookId: string, delivery: StoredDelivery) => {
  await tx.run(deliveryTable.insert({ ...delivery, webhookId }))
  await tx.run(sql`
    DELETE FROM webhook_delivery WHERE webhook_id = ${webhookId} AND delivery_id <
      (SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ${webhookId}
        ORDER BY delivery_id DESC LIMIT 1 OFFSET ${keptDeliveries - 1})`)
}
