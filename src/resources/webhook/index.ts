import { lease } from '#ledger/lease.ts'
import { type Opened, type Shipped, type StoredRecord, shipped } from '#resources/declaration.ts'
import type { Ground } from '#resources/resource.ts'
import type { Table } from '#sql/table.ts'
import { addressOf, namedIn } from './addresses.ts'
import { webhookCourse } from './course.ts'
import {
  maxUrlLength,
  webhookBeside,
  webhookDeclaration,
  webhookRequested,
  webhookSecret,
  webhookWritten,
} from './declaration.ts'
import { deliverer } from './deliverer.ts'
import { type Dispatch, dispatcher, isDelivered, secretsBy } from './dispatch.ts'
import { webhookDocument } from './document.ts'
import { notPublic, webhookCodes, webhookErrors } from './messages.ts'
import {
  besidePlace,
  courseRecords,
  type Placed,
  type Places,
  placesOf,
  webhookStored,
  webhookTopic,
} from './places.ts'
import { webhookRoutes } from './routes.ts'
import { newSecret } from './signing.ts'

type Webhook = StoredRecord<'webhook', (typeof webhookDeclaration)['fields']>

const opens = (ground: Ground, table: Table<object>): Opened<Webhook> => {
  const { db, clock, newId, changes, cursors, outlet } = ground
  const places = placesOf(db, table)
  const dispatch = dispatcher({ clock, newId, outlet, secrets: secretsBy(cursors) })
  const stopping = new AbortController()
  const course = webhookCourse({
    ...{ places, clock, newId, changes, cursors, outlet, dispatch, stopped: stopping.signal },
  })
  const { judged } = course
  const deliveries = delivering(ground, { places, dispatch })
  return {
    rules: {
      create: judged,
      // A new secret changes nothing that is judged.
      update: (webhook, before) => (webhook === before ? webhook : judged(webhook)),
    },
    begun: course.begun,
    shown: (webhook) => course.shown(webhook as unknown as Placed),
    routes: (http) => webhookRoutes(http, course),
    deliveries: {
      ...deliveries,
      stop() {
        stopping.abort()
        return deliveries.stop()
      },
    },
  }
}

/** Sends the changes of all webhooks, on one instance at a time. */
const delivering = (
  { db, clock, newId, changes, outlet }: Ground,
  { places, dispatch }: { readonly places: Places; readonly dispatch: Dispatch },
) => {
  const { answerMs, leaseMs } = outlet
  const counts = { delivered: 0, failed: 0 }
  const running = deliverer({
    ...{ db, places, changes, clock, newId, dispatch, ...outlet },
    sending: { isNamed: namedIn(outlet.hosts), answerMs },
    lease: lease({ db, clock, name: 'webhooks', lastingMs: leaseMs }),
    renewMs: leaseMs / 3,
    told({ webhookId }, { status, error, attempt }, { id, track }) {
      if (isDelivered({ status })) counts.delivered++
      else {
        counts.failed++
        outlet.failed({ webhook: webhookId, change: id, status, error, attempt, track })
      }
    },
  })
  return { ...running, figures: () => ({ ...counts, ...running.figures() }) }
}

const own: Shipped<Webhook> = {
  written: webhookWritten,
  stored: webhookStored,
  isSealed: true,
  requested: webhookRequested,
  isUnfiltered: true,
  sortable: ['url', 'createdAt'],
  beside: { fields: webhookBeside, ...besidePlace },
  secret: {
    schema: webhookSecret,
    about: 'What signs its deliveries, shown once (Standard Webhooks).',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    refuses: [webhookCodes.tooManySecrets],
    make: newSecret,
    kept: ({ secret, now, record, cursors }) =>
      secretsBy(cursors).kept(secret, now, record as unknown as Placed),
  },
  refuses: [webhookCodes.tooManyWebhooks],
  codes: webhookCodes,
  errors: webhookErrors,
  alsoMoved: courseRecords,
  tells: (webhookId) => [webhookTopic, webhookId],
  opens,
  /** Which hosts may be called is for the service to say that calls them. */
  reads(webhook) {
    const url = addressOf(webhook.url, () => true)
    if (url === undefined || url.length > maxUrlLength) throw notPublic()
    return { ...webhook, url }
  },
}

export const webhook = shipped(
  { ...webhookDeclaration, migrations: new URL('./migrations/', import.meta.url) },
  { ...own, document: webhookDocument(own as unknown as Shipped<StoredRecord>) },
)
