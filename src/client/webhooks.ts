import type { Answer } from './answer.ts'
import type { Caller } from './calling.ts'
import { type WithSecret, withSecret } from './keys.ts'
import type { CallOptions } from './options.ts'
import type { KnownOf } from './records.ts'
import type {
  CreatedWebhook,
  Deliveries,
  Delivery,
  NewWebhook,
  PositionUpdate,
  Webhook,
  WebhookKind,
} from './types.ts'

export interface Webhooks extends WithSecret<WebhookKind, NewWebhook, CreatedWebhook> {
  /** Sends a `webhook.test` now, and tells the outcome. */
  test(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Delivery>>

  /** The last attempts to deliver. */
  getDeliveries(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Deliveries>>

  /** Goes on at once: after a cursor, `latest` or `oldest`, or where it stands. */
  move(known: KnownOf<WebhookKind>, body?: PositionUpdate, options?: CallOptions): Promise<Answer<Webhook>>
}

export const webhooksOf = (call: Caller): Webhooks => {
  const all = withSecret(call, '/webhooks')
  return {
    ...all,
    test: (known, options = {}) => call({ ...options, method: 'POST', path: `${all.at(known)}/test` }),
    getDeliveries: (known, options = {}) =>
      call({ ...options, method: 'GET', path: `${all.at(known)}/deliveries` }),
    move: (known, body = {}, options = {}) =>
      all.change(known, options, { method: 'PUT', path: '/position', body }),
  }
}
