import {
  CodeList,
  Flag,
  Id,
  Items,
  List,
  Nullable,
  ReadOnly,
  Text,
  UtcTimestamp,
  type ValueOf,
  Whole,
} from '#core/schema.ts'
import { Requested, Shown } from '#core/shapes.ts'

export const webhookStates = ['delivering', 'retrying', 'disabled', 'lapsed'] as const

/** The longest description of what went wrong. */
export const maxErrorLength = 200

/** The longest address, in the spelling of the URL standard. */
export const maxUrlLength = 2048

/** What somebody decides about a webhook, and a column of its table each. */
export const webhookFields = {
  webhookId: ReadOnly(Id),
  url: Text(1, maxUrlLength),
  types: Nullable(List('type', Text(1, 64))),
  description: Nullable(Text(0, 256)),
  active: Flag,
  createdAt: ReadOnly(UtcTimestamp),
}

/** How its delivery goes. */
const courseFields = {
  state: ReadOnly(CodeList('CL_WEBHOOK_STATE', webhookStates)),
  since: ReadOnly(UtcTimestamp),
  lastStatus: ReadOnly(Nullable(Whole(100))),
  lastError: ReadOnly(Nullable(Text(1, maxErrorLength))),
  pending: ReadOnly(Nullable(Whole(0))),
}

const secret = ReadOnly(Text(1, 64))

export const Webhook = Shown('webhook', { ...webhookFields, ...courseFields })
export type Webhook = ValueOf<typeof Webhook> & {
  readonly version: number
  readonly ofVersion: string
  readonly beside: string
}

/** A webhook as it is shown once, with a secret that was made for it. */
export const MadeWebhook = Shown('createdWebhook', { ...webhookFields, ...courseFields, secret })
export type MadeWebhook = Webhook & { readonly secret: string }

export const NewWebhook = Requested('webhook', {
  ...webhookFields,
  ...courseFields,
  active: Nullable(Flag),
  secret,
})
export type NewWebhook = ValueOf<typeof NewWebhook>

/** Where the delivery is to go on: a cursor, `latest`, `oldest`, or where it stands. */
export const NewPosition = Requested('position', { after: Nullable(Text(1, 1024)) })

export const deliveryFields = {
  deliveryId: ReadOnly(Id),
  changeId: ReadOnly(Id),
  type: ReadOnly(Text(1, 64)),
  sentAt: ReadOnly(UtcTimestamp),
  attempt: ReadOnly(Whole(1)),
  status: ReadOnly(Nullable(Whole(100))),
  error: ReadOnly(Nullable(Text(1, maxErrorLength))),
  milliseconds: ReadOnly(Whole(0)),
}

export const Delivery = Shown('delivery', deliveryFields)
export type Delivery = ValueOf<typeof Delivery>

/** How many deliveries of a webhook are kept. */
export const keptDeliveries = 100

export const Deliveries = Shown('deliveries', { content: ReadOnly(Items(Delivery, keptDeliveries)) })
