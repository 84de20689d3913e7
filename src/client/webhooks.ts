import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { segmentOf } from './collection.ts'
import { collectionWithSecret, type WithSecret } from './keys.ts'
import type { CallOptions } from './options.ts'
import type { KnownOf } from './records.ts'
import type {
  CreatedWebhook,
  Deliveries,
  Delivery,
  NewWebhook,
  PositionUpdate,
  SentDelivery,
  Webhook,
  WebhookKind,
} from './types.ts'

export interface Webhooks extends WithSecret<WebhookKind, NewWebhook, CreatedWebhook> {
  /** Sends a test event (`webhook.test`) now, and returns the outcome. */
  test(idOrItem: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Delivery>>

  /** Returns the latest attempts to deliver changes to this webhook. */
  getDeliveries(idOrItem: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Deliveries>>

  /** Returns one attempt with the body that was sent. The body is null if the log no longer has the change. */
  getDelivery(
    idOrItem: KnownOf<WebhookKind>,
    deliveryId: string,
    options?: CallOptions,
  ): Promise<Answer<SentDelivery>>

  /** Sends the change of a delivery again, with the same id, and returns the outcome. */
  resend(idOrItem: KnownOf<WebhookKind>, deliveryId: string, options?: CallOptions): Promise<Answer<Delivery>>

  /** Continues delivery at once: after a cursor, at `latest` or `oldest`, or, without a position, where delivery stopped. */
  move(idOrItem: KnownOf<WebhookKind>, body?: PositionUpdate, options?: CallOptions): Promise<Answer<Webhook>>
}

export const webhooksOf = (call: Call): Webhooks => {
  const calls = collectionWithSecret(call, '/webhooks')
  const callBelow =
    (method: 'GET' | 'POST') =>
    <T>(idOrItem: KnownOf<WebhookKind>, path: string, options: CallOptions = {}) =>
      call<T>({ ...options, method, path: `${calls.pathOf(idOrItem)}/${path}` })
  const get = callBelow('GET')
  const post = callBelow('POST')
  return {
    ...calls,
    test: (idOrItem, options) => post(idOrItem, 'test', options),
    getDeliveries: (idOrItem, options) => get(idOrItem, 'deliveries', options),
    getDelivery: (idOrItem, deliveryId, options) =>
      get(idOrItem, `deliveries/${segmentOf(deliveryId)}`, options),
    resend: (idOrItem, deliveryId, options) =>
      post(idOrItem, `deliveries/${segmentOf(deliveryId)}/resend`, options),
    move: (idOrItem, body = {}, options = {}) =>
      calls.change(idOrItem, options, { method: 'PUT', path: '/position', body }),
  }
}
