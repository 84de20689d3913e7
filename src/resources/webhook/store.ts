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
  maxDeliveries,
  type webhookDeclaration,
  webhookStates,
} from './declaration.ts'

/** The stored fields of a webhook that are never shown. */
export const webhookStorageFields = {
  /** The encrypted secret. Null if the webhook has no secret yet. */
  sealed: Nullable(StoredText),
  /** The encrypted former secrets, separated by spaces. Deliveries are also signed with each of them until it expires. */
  formerSealed: Nullable(StoredText),
  formerUntil: Nullable(UtcTimestamp),
}

export interface StoredWebhook
  extends Omit<StoredRecord<'webhook', (typeof webhookDeclaration)['fields']>, 'lastModifiedAt'>,
    StoredOf<typeof webhookStorageFields> {
  readonly version: number
}

/** The position of a webhook in the log of changes, and the state of its delivery. */
const progressFields = {
  webhookId: Id,
  logName: StoredText,
  number: Whole(0),
  idSuffix: StoredText,
  state: CodeList('CL_WEBHOOK_STATE', webhookStates),
  since: UtcTimestamp,
  /** The number of failed attempts to send the next change. */
  failures: Whole(0),
  nextAt: Nullable(UtcTimestamp),
  lastStatus: Nullable(Whole(100)),
  lastError: Nullable(StoredText),
  /** The number of times that the webhook was moved by a request. */
  move: Whole(0),
  /** The branch of the log to which the position belongs. Null: the branch of the next delivery. */
  branch: Nullable(StoredText),
}
export type DeliveryProgress = StoredOf<typeof progressFields>

const progressTableNames = {
  name: 'webhook_place',
  key: 'webhookId',
  columns: { logName: 'history', idSuffix: 'mark' },
  hasNoChecksum: true,
} as const
const progressTable = table({ ...progressTableNames, fields: progressFields })
const deliveryTable = table({
  name: 'webhook_delivery',
  // `number` is the number of the change. Earlier releases did not store it.
  fields: { ...deliveryFields, number: Nullable(Whole(0)), webhookId: Id },
  key: 'deliveryId',
  hasNoChecksum: true,
})

const { branch: _, ...fieldsToCopy } = progressFields
const tableToCopy = table({ ...progressTableNames, fields: fieldsToCopy })

/** The progress and the deliveries of all webhooks, to be copied. Omits the branch, because another database has other branches. */
export const deliveryRecords = (db: Database) =>
  [tableToCopy, deliveryTable].map((one: Table<object>) => tableRecords(db, one))

export interface StoredDelivery extends Delivery {
  readonly number: number | null
}

export interface WebhookWithProgress extends StoredWebhook {
  readonly progress: DeliveryProgress
}

/** Published with the id of a webhook that was changed or moved. */
export const webhookTopic = 'webhook'

const progressSelection = progressTable.selection('place_')

/** The columns and the join that read the progress together with a webhook. */
export const progressColumns = {
  selected: `webhook.sealed, ${progressSelection.selected}`,
  from: 'webhook LEFT JOIN webhook_place ON webhook_place.webhook_id = webhook.webhook_id',
  toFields: (row: Row) => ({ sealed: row.sealed, progress: toProgress(row) }),
}

const toProgress = (row: Row): DeliveryProgress => {
  if (row.place_history !== null) return progressSelection.toRecord(row)
  // An imported webhook has no position in this log until it is moved to one.
  return {
    webhookId: String(row.webhook_id),
    logName: '',
    number: 0,
    idSuffix: '',
    state: 'lapsed',
    since: Number(row.created_at),
    failures: 0,
    nextAt: null,
    lastStatus: null,
    lastError: null,
    move: 0,
    branch: null,
  }
}

/** Inserts the progress of a new webhook. False if there are more than `max` webhooks. */
export const startProgress = async (tx: Transaction, progress: DeliveryProgress, max: number) => {
  const [count = 0] = await tx.read(raw('SELECT count(*) AS total FROM webhook'), (row) => Number(row.total))
  if (count > max) return false
  await tx.run(progressTable.insert(progress))
  return true
}

export type WebhookStore = ReturnType<typeof webhookStore>

export const webhookStore = (db: Database, webhooks: Table<object>) => {
  const selected = `SELECT ${webhooks.selected}, ${progressSelection.selected}`
  const toWebhookWithProgress = (row: Row): WebhookWithProgress => ({
    ...(webhooks.toRecord(row) as StoredWebhook),
    progress: toProgress(row),
  })
  const { from } = progressColumns
  const byId = lookup({ select: selected, from, key: 'webhook.webhook_id' })

  return {
    find: (webhookId: string): Promise<WebhookWithProgress | undefined> =>
      isId(webhookId) ? db.find(byId(webhookId), toWebhookWithProgress) : noResult,

    all: (): Promise<readonly WebhookWithProgress[]> =>
      db.read(raw(`${selected} FROM ${from} ORDER BY webhook.webhook_id`), toWebhookWithProgress),

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
        const update = sql`${progressTable.update(next)} AND number = ${number} AND move = ${move}`
        if ((await tx.run(update)) === 0) return false
        if (delivery) await insertDelivery(tx, next.webhookId, delivery)
        return true
      }),

    recordDelivery: (webhookId: string, delivery: StoredDelivery) =>
      db.write((tx) => insertDelivery(tx, webhookId, delivery)),

    /** The latest deliveries, newest first. */
    deliveries: (webhookId: string): Promise<readonly StoredDelivery[]> =>
      db.read(
        sql`
          ${raw(`SELECT ${deliveryTable.selected}`)} FROM webhook_delivery WHERE webhook_id = ${webhookId}
          ORDER BY delivery_id DESC LIMIT ${maxDeliveries}`,
        deliveryTable.toRecord,
      ),
  }
}

/** Inserts a delivery, and deletes the oldest ones above `maxDeliveries`. */
const insertDelivery = async (tx: Transaction, webhookId: string, delivery: StoredDelivery) => {
  await tx.run(deliveryTable.insert({ ...delivery, webhookId }))
  await tx.run(sql`
    DELETE FROM webhook_delivery WHERE webhook_id = ${webhookId} AND delivery_id <
      (SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ${webhookId}
        ORDER BY delivery_id DESC LIMIT 1 OFFSET ${maxDeliveries - 1})`)
}
