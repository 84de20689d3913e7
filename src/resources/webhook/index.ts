import { verifyLogged } from '#ledger/change-records.ts'
import { lease } from '#ledger/lease.ts'
import type { Resource } from '#resources/resource.ts'
import { faultyRows } from '#sql/records.ts'
import { namedIn } from './addresses.ts'
import { deliverer } from './deliverer.ts'
import { dispatcher, isDelivered, secretsBy } from './dispatch.ts'
import { webhookDocument } from './document.ts'
import { webhookCodes, webhookErrors } from './messages.ts'
import { ImportedWebhook, webhookRecords } from './records.ts'
import { webhookRoutes } from './routes.ts'
import { webhookService } from './service.ts'
import { courseRecords, webhookStore, webhookTable } from './store.ts'

export const webhook: Resource = {
  name: 'webhook',
  plural: 'webhooks',
  migrations: new URL('./migrations/', import.meta.url),
  codes: webhookCodes,
  errors: webhookErrors,
  document: webhookDocument,
  imported: ImportedWebhook,
  changes: ['webhook.created', 'webhook.updated', 'webhook.deleted'],
  records: webhookRecords,
  alsoMoved: courseRecords,
  async *verify(db) {
    yield* faultyRows(db, webhookTable)
    const { selected, make } = webhookTable
    yield* verifyLogged(db, { room: 'webhook', table: webhookTable, selected, make, values: 'none' })
  },
  open: ({ db, clock, newId, announce, changes, cursors, outlet }) => {
    const store = webhookStore(db, announce)
    const secrets = secretsBy(cursors)
    const dispatch = dispatcher({ clock, newId, outlet, secrets })
    const stopping = new AbortController()
    const service = webhookService({
      ...{ store, clock, newId, changes, cursors, outlet, dispatch, secrets, stopped: stopping.signal },
    })
    const { answerMs, leaseMs } = outlet
    const counts = { delivered: 0, failed: 0 }
    const deliveries = deliverer({
      ...{ db, store, changes, clock, newId, dispatch, ...outlet },
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
    return {
      routes: (http) => webhookRoutes(http, service),
      deliveries: {
        start: deliveries.start,
        stop() {
          stopping.abort()
          return deliveries.stop()
        },
        figures: () => ({ ...counts, ...deliveries.figures() }),
      },
    }
  },
}
