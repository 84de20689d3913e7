import { bodyInvalid } from '#core/problem.ts'
import { type OpenedParts, type ShippedParts, type StoredRecord, shipped } from '#resources/declaration.ts'
import type { ResourceContext } from '#resources/resource.ts'
import type { Table } from '#sql/table.ts'
import { normalizeAddress } from './addresses.ts'
import {
  maxUrlLength,
  webhookDeclaration,
  webhookJoinedFields,
  webhookRequestFields,
  webhookSecret,
  webhookServiceFields,
} from './declaration.ts'
import { deliverer } from './deliverer.ts'
import { dispatcher, webhookSecrets } from './dispatch.ts'
import { webhookDocument } from './document.ts'
import { urlRefusal, webhookCodes, webhookErrors } from './messages.ts'
import { webhookRoutes } from './routes.ts'
import { webhookService } from './service.ts'
import { newSecret } from './signing.ts'
import {
  deliveryRecords,
  progressColumns,
  type WebhookWithProgress,
  webhookStorageFields,
  webhookStore,
  webhookTopic,
} from './store.ts'

type Webhook = StoredRecord<'webhook', (typeof webhookDeclaration)['fields']>

const open = (context: ResourceContext, table: Table<object>): OpenedParts<Webhook> => {
  const { db, clock, newId, changes, cursors, policy, delivery: settings } = context
  const store = webhookStore(db, table)
  const dispatch = dispatcher({ clock, newId, settings, secrets: webhookSecrets(cursors) })
  const stopping = new AbortController()
  const service = webhookService({
    store,
    clock,
    newId,
    changes,
    cursors,
    policy,
    settings,
    dispatch,
    stopped: stopping.signal,
  })
  const { validated, requirePermitted } = service
  const deliveries = deliverer(context, { store, dispatch })
  return {
    rules: {
      create: (webhook, { caller }) => requirePermitted(validated(webhook), caller.may),
      update(webhook, before, { caller }) {
        if (webhook === before) return webhook
        // Only the secret is new, so nothing needs to be validated.
        if (hasOnlyNewSecret(webhook, before)) return requirePermitted(webhook, caller.may)
        const next = validated(webhook)
        return sentProperties(next) === sentProperties(before) ? next : requirePermitted(next, caller.may)
      },
    },
    prepareCreation: service.prepareCreation,
    addComputed: (webhook) => service.withState(webhook as unknown as WebhookWithProgress),
    routes: (http) => webhookRoutes(http, service),
    deliveries: {
      ...deliveries,
      stop() {
        stopping.abort()
        return deliveries.stop()
      },
    },
  }
}

/** Every other update arrives here with a new version. */
const hasOnlyNewSecret = (webhook: object, before: object) =>
  (webhook as WebhookWithProgress).version === (before as WebhookWithProgress).version

/** The properties that decide what is sent, and where. */
const sentProperties = ({ url, types, values }: Pick<Webhook, 'url' | 'types' | 'values'>) =>
  JSON.stringify([url, types, values ?? false])

const shippedParts: ShippedParts<Webhook> = {
  serviceWritten: webhookServiceFields,
  storageFields: webhookStorageFields,
  neverExportsHidden: true,
  requestFields: webhookRequestFields,
  isUnfiltered: true,
  sortable: ['url', 'createdAt'],
  joinedFields: { fields: webhookJoinedFields, ...progressColumns },
  secret: {
    schema: webhookSecret,
    description: 'Signs the deliveries (Standard Webhooks). Shown once.',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    refusals: [webhookCodes.tooManySecrets],
    generate: newSecret,
    toStored: ({ secret, now, record, cursors }) =>
      webhookSecrets(cursors).rotate(secret, now, record as unknown as WebhookWithProgress),
  },
  refusals: [webhookCodes.tooManyWebhooks],
  errorCodes: webhookCodes,
  errors: webhookErrors,
  relatedRecords: deliveryRecords,
  notification: (webhookId) => [webhookTopic, webhookId],
  open,
  /** Does not check the host, because only a running service knows which hosts it may call. */
  validateFromFile(webhook) {
    const url = normalizeAddress(webhook.url, () => true)
    if (url === undefined || url.length > maxUrlLength) throw bodyInvalid([urlRefusal(webhook.url)])
    return { ...webhook, url }
  },
}

export const webhook = shipped(
  { ...webhookDeclaration, migrations: new URL('./migrations/', import.meta.url) },
  { ...shippedParts, document: webhookDocument(shippedParts as unknown as ShippedParts<StoredRecord>) },
)
