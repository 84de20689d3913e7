import { isId } from '#core/id.ts'
import { CodeList, Id, Nullable, StoredText, UtcTimestamp, type ValueOf, Whole } from '#core/schema.ts'
import type { StoredRecord } from '#resources/declaration.ts'
import { type Database, nothing, type Row, type Transaction } from '#sql/database.ts'
import { key, lookup, raw, sql } from '#sql/query.ts'
import { tableRecords } from '#sql/records.ts'
import { type Table, table } from '#sql/table.ts'
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

type Hidden = { readonly [K in keyof typeof webhookStored]: ValueOf<(typeof webhookStored)[K]> }

/** A row of the table of webhooks. */
export interface StoredWebhook
  extends Omit<StoredRecord<'webhook', (typeof webhookDeclaration)['fields']>, 'lastModifiedAt'>,
    Hidden {
  readonly version: number
}

/** The place of a webhook in the log of changes, and the state of its delivery. */
const placeFields = {
  webhookId: Id,
  history: StoredText,
  number: Whole(0),
  mark: StoredText,
  state: CodeList('CL_WEBHOOK_STATE', webhookStates),
  since: UtcTimestamp,
  /** The number of failed attempts for its next change. */
  failures: Whole(0),
  nextAt: Nullable(UtcTimestamp),
  lastStatus: Nullable(Whole(100)),
  lastError: Nullable(StoredText),
  /** The number of times it was moved. */
  move: Whole(0),
  /** The branch of the log that the place belongs to. Null: the next branch it meets. */
  branch: Nullable(StoredText),
}
export type Place = { readonly [K in keyof typeof placeFields]: ValueOf<(typeof placeFields)[K]> }

const placeTable = table({ name: 'webhook_place', fields: placeFields, key: 'webhookId', isUnchecked: true })
const deliveryTable = table({
  name: 'webhook_delivery',
  // The number of the change. Earlier releases did not note it.
  fields: { ...deliveryFields, number: Nullable(Whole(0)), webhookId: Id },
  key: 'deliveryId',
  isUnchecked: true,
})

const { branch: _, ...movedFields } = placeFields
const movedPlaces = table({ name: 'webhook_place', fields: movedFields, key: 'webhookId', isUnchecked: true })

/** The places of all webhooks, and their deliveries. Without the branch, which means nothing in another database. */
export const placeRecords = (db: Database) =>
  [movedPlaces, deliveryTable].map((one: Table<object>) => tableRecords(db, one))

/** A delivery as it is noted. */
export interface NotedDelivery extends Delivery {
  readonly number: number | null
}

/** A webhook, and its place. */
export interface Placed extends StoredWebhook {
  readonly place: Place
}

/** Published with the id of a webhook that was changed or moved. */
export const webhookTopic = 'webhook'

const placePart = placeTable.selection('place_')

/** The place, read with a webhook. */
export const besidePlace = {
  selected: `webhook.sealed, ${placePart.selected}`,
  from: 'webhook LEFT JOIN webhook_place ON webhook_place.webhook_id = webhook.webhook_id',
  make: (row: Row) => ({ sealed: row.sealed, place: placeIn(row) }),
}

const placeIn = (row: Row): Place => {
  if (row.place_history !== null) return placePart.make(row)
  // An imported webhook has no place in this log until it is given one.
  return {
    ...{ webhookId: String(row.webhook_id), history: '', number: 0, mark: '', state: 'lapsed' },
    ...{ since: Number(row.created_at), failures: 0, nextAt: null, lastStatus: null, lastError: null },
    ...{ move: 0, branch: null },
  }
}

/** Inserts the place of a new webhook. False if the limit of webhooks is exceeded. */
export const begin = async (tx: Transaction, place: Place, max: number) => {
  const [count = 0] = await tx.read(raw('SELECT count(*) AS total FROM webhook'), (row) => Number(row.total))
  if (count > max) return false
  await tx.run(placeTable.insert(place))
  return true
}

export type Places = ReturnType<typeof placesOf>

/** The store of places and deliveries. */
export const placesOf = (db: Database, webhooks: Table<object>) => {
  const selected = `SELECT ${webhooks.selected}, ${placePart.selected}`
  const toPlaced = (row: Row): Placed => ({
    ...(webhooks.make(row) as StoredWebhook),
    place: placeIn(row),
  })
  const byId = lookup({ select: selected, from: besidePlace.from, key: 'webhook.webhook_id' })

  return {
    find: (webhookId: string): Promise<Placed | undefined> =>
      isId(webhookId) ? db.find(byId(webhookId), toPlaced) : nothing,

    all: (): Promise<readonly Placed[]> =>
      db.read(raw(`${selected} FROM ${besidePlace.from} ORDER BY webhook.webhook_id`), toPlaced),

    /** Moves a webhook to another place. */
    put: (place: Place) =>
      db.write(async (tx) => {
        const { webhookId } = place
        await tx.run(sql`DELETE FROM webhook_place WHERE webhook_id = ${key(webhookId)}`)
        await tx.run(placeTable.insert(place))
        await tx.publish(webhookTopic, webhookId)
      }),

    /** Replaces a place, and records the delivery that led to it. False if another writer was faster. */
    advance: ({ number, move }: Place, next: Place, delivery?: NotedDelivery): Promise<boolean> =>
      db.write(async (tx) => {
        const moved = await tx.run(sql`${placeTable.update(next)} AND number = ${number} AND move = ${move}`)
        if (moved === 1 && delivery) await note(tx, next.webhookId, delivery)
        return moved === 1
      }),

    note: (webhookId: string, delivery: NotedDelivery) => db.write((tx) => note(tx, webhookId, delivery)),

    /** The kept deliveries, newest first. */
    deliveries: (webhookId: string): Promise<readonly NotedDelivery[]> =>
      db.read(
        sql`
          ${raw(`SELECT ${deliveryTable.selected}`)} FROM webhook_delivery WHERE webhook_id = ${webhookId}
          ORDER BY delivery_id DESC LIMIT ${keptDeliveries}`,
        deliveryTable.make,
      ),
  }
}

/** Records the outcome of a delivery, and deletes the oldest. */
const note = async (tx: Transaction, webhookId: string, delivery: NotedDelivery) => {
  await tx.run(deliveryTable.insert({ ...delivery, webhookId }))
  await tx.run(sql`
    DELETE FROM webhook_delivery WHERE webhook_id = ${webhookId} AND delivery_id <
      (SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ${webhookId}
        ORDER BY delivery_id DESC LIMIT 1 OFFSET ${keptDeliveries - 1})`)
}
