import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import { type WithSecret, withSecret } from './keys.ts'
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
  /** Sends a `webhook.test` now, and returns the outcome. */
  test(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Delivery>>

  /** The last attempts to deliver. */
  getDeliveries(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Deliveries>>

  /** One attempt with the body that was sent: null if the log does not have the change. */
  getDelivery(
    known: KnownOf<WebhookKind>,
    deliveryId: string,
    options?: CallOptions,
  ): Promise<Answer<SentDelivery>>

  /** Sends the change of a delivery again, with the same id, and returns the outcome. */
  resend(known: KnownOf<WebhookKind>, deliveryId: string, options?: CallOptions): Promise<Answer<Delivery>>

  /** Continues at once after a cursor, `latest` or `oldest`; without one, where it stopped. */
  move(known: KnownOf<WebhookKind>, body?: PositionUpdate, options?: CallOptions): Promise<Answer<Webhook>>
}

export const webhooksOf = (call: Call): Webhooks => {
  const all = withSecret(call, '/webhooks')
  const part =
    (method: 'GET' | 'POST') =>
    <T>(known: KnownOf<WebhookKind>, path: string, options: CallOptions = {}) =>
      call<T>({ ...options, method, path: `${all.at(known)}/${path}` })
  const get = part('GET')
  const post = part('POST')
  return {
    ...all,
    test: (known, options) => post(known, 'test', options),
    getDeliveries: (known, options) => get(known, 'deliveries', options),
    getDelivery: (known, deliveryId, options) => get(known, `deliveries/${deliveryId}`, options),
    resend: (known, deliveryId, options) => post(known, `deliveries/${deliveryId}/resend`, options),
    move: (known, body = {}, options = {}) =>
      all.change(known, options, { method: 'PUT', path: '/position', body }),
  }
}
