import type { Answer } from './answer.ts'
import type { Caller } from './calling.ts'
import { collection } from './collection.ts'
import type { CallOptions } from './options.ts'
import type { KnownOf, Records } from './records.ts'
import type {
  CreatedKey,
  CreatedWebhook,
  Deliveries,
  Delivery,
  KeyKind,
  NewKey,
  NewWebhook,
  PositionUpdate,
  Token,
  Webhook,
  WebhookKind,
} from './types.ts'

export interface Keys extends Omit<Records<KeyKind>, 'create' | 'history' | 'restore'> {
  /** Creates a key. Only this answer has its secret, so a lost answer is not retried: it may have left a key that nobody knows. */
  create(body: NewKey, options?: CallOptions): Promise<Answer<CreatedKey>>

  /** Makes a new secret. The one before is good beside it for 24 hours. */
  renewSecret(known: KnownOf<KeyKind>, options?: CallOptions): Promise<Answer<CreatedKey>>
}

export interface Webhooks extends Omit<Records<WebhookKind>, 'create' | 'history' | 'restore'> {
  /** Creates a webhook. Only this answer has its secret, so a lost answer is not retried. */
  create(body: NewWebhook, options?: CallOptions): Promise<Answer<CreatedWebhook>>

  /** Makes a new secret. The one before signs beside it for 24 hours. */
  renewSecret(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<CreatedWebhook>>

  /** Sends a `webhook.test` now, and says what became of it. */
  test(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Delivery>>

  /** The last attempts to deliver. */
  getDeliveries(known: KnownOf<WebhookKind>, options?: CallOptions): Promise<Answer<Deliveries>>

  /** Goes on after a cursor, `latest` or `oldest`, or where it stands, at once. */
  move(known: KnownOf<WebhookKind>, body?: PositionUpdate, options?: CallOptions): Promise<Answer<Webhook>>
}

export interface Tokens {
  /** Makes a token for the caller. Only with a sign id and a password. */
  create(options?: CallOptions): Promise<Answer<Token>>

  /** Ends all tokens of the caller. */
  end(options?: CallOptions): Promise<Answer<undefined>>
}

export const keysOf = (call: Caller): Keys => {
  const all = collection(call, '/keys')
  return {
    ...all,
    create: createOnce(call, '/keys'),
    renewSecret: (known, options = {}) =>
      call({ ...options, method: 'POST', path: `${all.at(known)}/secret`, isDoneAgain: true }),
  }
}

export const webhooksOf = (call: Caller): Webhooks => {
  const all = collection(call, '/webhooks')
  const part =
    (method: 'GET' | 'POST', path: string, isDoneAgain?: true) =>
    <T>(known: KnownOf<WebhookKind>, options: CallOptions = {}) =>
      call<T>({ ...options, method, path: `${all.at(known)}/${path}`, ...(isDoneAgain && { isDoneAgain }) })
  return {
    ...all,
    create: createOnce(call, '/webhooks'),
    renewSecret: part('POST', 'secret', true),
    test: part('POST', 'test'),
    getDeliveries: part('GET', 'deliveries'),
    move: (known, body = {}, options = {}) =>
      all.change(known, options, { method: 'PUT', path: '/position', body }),
  }
}

const createOnce =
  (call: Caller, path: string) =>
  <T>(body: object, options: CallOptions = {}) =>
    call<T>({ ...options, method: 'POST', path, body, isDoneAgain: true })

export const tokensOf = (call: Caller): Tokens => ({
  create: (options = {}) => call({ ...options, method: 'POST', path: '/tokens' }),
  end: (options = {}) => call({ ...options, method: 'DELETE', path: '/tokens' }),
})
