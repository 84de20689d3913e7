import { isId } from '#core/id.ts'
import {
  CodeList,
  Id,
  Nullable,
  StoredText,
  UtcTimestamp,
  type ValueOf,
  Version,
  Whole,
} from '#core/schema.ts'
import type { Announce } from '#ledger/change-log.ts'
import { type Database, nothing, type Row, type Transaction } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { empty, key, lookup, raw, sql } from '#sql/query.ts'
import { tableRecords } from '#sql/records.ts'
import { type Table, table } from '#sql/table.ts'
import { type Delivery, deliveryFields, keptDeliveries, webhookFields, webhookStates } from './schema.ts'
import type { WebhookStore } from './service.ts'

const stored = {
  ...webhookFields,
  /** The secret, encrypted; null if it has none yet. */
  sealed: Nullable(StoredText),
  /** Those before, separated by spaces: each signs beside it until its end, the last of them until then. */
  formerSealed: Nullable(StoredText),
  formerUntil: Nullable(UtcTimestamp),
  version: Version,
}
export type StoredWebhook = { readonly [K in keyof typeof stored]: ValueOf<(typeof stored)[K]> }

export const webhookTable = table({ name: 'webhook', fields: stored, key: 'webhookId', fixed: ['createdAt'] })

/** Where a webhook stands in the log of changes, and how its delivery goes. */
const placeFields = {
  webhookId: Id,
  history: StoredText,
  number: Whole(0),
  mark: StoredText,
  state: CodeList('CL_WEBHOOK_STATE', webhookStates),
  since: UtcTimestamp,
  /** How often its next change was sent in vain. */
  failures: Whole(0),
  nextAt: Nullable(UtcTimestamp),
  lastStatus: Nullable(Whole(100)),
  lastError: Nullable(StoredText),
  /** Counts how often somebody moved it. */
  move: Whole(0),
  /** What it is on, as the log names it. Null: whatever comes next. */
  branch: Nullable(StoredText),
}
export type Place = { readonly [K in keyof typeof placeFields]: ValueOf<(typeof placeFields)[K]> }

const placeTable = table({ name: 'webhook_place', fields: placeFields, key: 'webhookId', isUnchecked: true })
const deliveryTable = table({
  name: 'webhook_delivery',
  fields: { ...deliveryFields, webhookId: Id },
  key: 'deliveryId',
  isUnchecked: true,
})

const { branch: _, ...movedFields } = placeFields
const movedPlaces = table({ name: 'webhook_place', fields: movedFields, key: 'webhookId', isUnchecked: true })

/** The places of all webhooks, and what became of their deliveries. What another database calls its branch means nothing here. */
export const courseRecords = (db: Database) =>
  [movedPlaces, deliveryTable].map((one: Table<object>) => tableRecords(db, one))

/** A webhook, and its place. */
export interface Placed extends StoredWebhook {
  readonly place: Place
}

/** Published with the id of a webhook that was changed or moved. */
export const webhookTopic = 'webhook'

const sortable = webhookTable.sortable(['url', 'createdAt'])
export const webhookSortable = Object.keys(sortable)

export const webhookStore = (db: Database, announce: Announce): WebhookStore => {
  return {
    ...listing(db, { make: toPlaced, select: () => everything, sortable, position: 'webhookId' }),

    find: (webhookId) => (isId(webhookId) ? db.find(webhookById(webhookId), toPlaced) : nothing),

    all: () => db.read(raw(`${selected} FROM ${joined} ORDER BY webhook.webhook_id`), toPlaced),

    insert: ({ place, ...webhook }, max, actor) => {
      const { webhookId, version } = webhook
      return db.write(async (tx) => {
        const [count = 0] = await tx.read(raw('SELECT count(*) AS total FROM webhook'), toTotal)
        if (count >= max) return false
        await tx.run(webhookTable.insert(webhook))
        await tx.run(placeTable.insert(place))
        const change = { type: 'webhook.created', subject: webhookId, version, changed: writable }
        await tx.append(announce(change, actor))
        await tx.publish(webhookTopic, webhookId)
        return true
      })
    },

    replace: ({ place: _, ...webhook }, changed, actor) => {
      const { webhookId, version } = webhook
      return db.write(async (tx) => {
        const replaced = await tx.run(sql`${webhookTable.update(webhook)} AND version = ${version - 1}`)
        if (replaced === 0) return false
        await tx.append(announce({ type: 'webhook.updated', subject: webhookId, version, changed }, actor))
        await tx.publish(webhookTopic, webhookId)
        return true
      })
    },

    remove: async (webhookId, { expected, actor }) => {
      if (!isId(webhookId)) return false
      const any = sql`DELETE FROM webhook WHERE webhook_id = ${key(webhookId)}`
      const one = expected === undefined ? any : sql`${any} AND version = ${expected}`
      return db.write(async (tx) => {
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        if (last === undefined) return false
        const change = { type: 'webhook.deleted', subject: webhookId, version: last + 1, changed: [] }
        await tx.append(announce(change, actor))
        await tx.publish(webhookTopic, webhookId)
        return true
      })
    },

    put: (place) =>
      db.write(async (tx) => {
        const { webhookId } = place
        await tx.run(sql`DELETE FROM webhook_place WHERE webhook_id = ${key(webhookId)}`)
        await tx.run(placeTable.insert(place))
        await tx.publish(webhookTopic, webhookId)
      }),

    advance: ({ number, move }, next, delivery) =>
      db.write(async (tx) => {
        const moved = await tx.run(sql`${placeTable.update(next)} AND number = ${number} AND move = ${move}`)
        if (moved === 1 && delivery) await note(tx, next.webhookId, delivery)
        return moved === 1
      }),

    note: (webhookId, delivery) => db.write((tx) => note(tx, webhookId, delivery)),

    deliveries: (webhookId) =>
      db.read(
        sql`
          ${raw(`SELECT ${deliveryTable.selected}`)} FROM webhook_delivery WHERE webhook_id = ${webhookId}
          ORDER BY delivery_id DESC LIMIT ${keptDeliveries}`,
        deliveryTable.make,
      ),
  }
}

/** Keeps what became of a delivery, and forgets the oldest. */
const note = async (tx: Transaction, webhookId: string, delivery: Delivery) => {
  await tx.run(deliveryTable.insert({ ...delivery, webhookId }))
  await tx.run(sql`
    DELETE FROM webhook_delivery WHERE webhook_id = ${webhookId} AND delivery_id <
      (SELECT delivery_id FROM webhook_delivery WHERE webhook_id = ${webhookId}
        ORDER BY delivery_id DESC LIMIT 1 OFFSET ${keptDeliveries - 1})`)
}

/** The fields that somebody writes. */
export const writable = ['url', 'types', 'description', 'active'] as const

const placePart = placeTable.part('place_')
const selected = `SELECT ${webhookTable.selected}, ${placePart.selected}`
const joined = 'webhook LEFT JOIN webhook_place ON webhook_place.webhook_id = webhook.webhook_id'
const webhookById = lookup({ select: selected, from: joined, key: 'webhook.webhook_id' })

const toPlaced = (row: Row): Placed => {
  const webhook = webhookTable.make(row)
  return { ...webhook, place: row.place_history === null ? noPlace(webhook) : placePart.make(row) }
}

/** One that was imported has no place in this log of changes, until it is given one. */
const noPlace = ({ webhookId, createdAt }: StoredWebhook): Place => ({
  ...{ webhookId, history: '', number: 0, mark: '', state: 'lapsed', since: createdAt, failures: 0 },
  ...{ nextAt: null, lastStatus: null, lastError: null, move: 0, branch: null },
})

const toVersion = (row: Row) => Number(row.version)
const toTotal = (row: Row) => Number(row.total)

const everything = {
  select: raw(selected),
  from: raw(joined),
  count: raw('SELECT count(*) AS total FROM webhook'),
  position: 'webhook.webhook_id',
  where: empty,
  isIndexed: true,
}
