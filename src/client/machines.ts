import type { Answer } from './answer.ts'
import type { Caller } from './calling.ts'
import { collection, type Known } from './collection.ts'
import type { CallOptions } from './options.ts'
import type {
  CreatedKey,
  CreatedWebhook,
  Deliveries,
  Delivery,
  Key,
  KeySort,
  NewKey,
  NewWebhook,
  PositionUpdate,
  Token,
  Webhook,
  WebhookPatch,
  WebhookSort,
  WebhookUpdate,
} from './types.ts'

export const keysOf = (call: Caller) => {
  const { list, page, each, pages, get, remove } = collection<Key, 'keyId', KeySort, object>(
    call,
    '/keys',
    'keyId',
  )
  return {
    list,
    page,
    each,
    pages,
    get,
    remove,
    /** Not repeated after a lost answer: there may be a key then whose secret nobody has. */
    create: (body: NewKey, options: CallOptions = {}): Promise<Answer<CreatedKey>> =>
      call({ ...options, method: 'POST', path: '/keys', body, isDoneAgain: true }),
  }
}

export const webhooksOf = (call: Caller) => {
  const {
    history: _,
    put,
    patch,
    create,
    at,
    tagOf,
    ...all
  } = collection<Webhook, 'webhookId', WebhookSort, object>(call, '/webhooks', 'webhookId')
  const part =
    <T>(method: 'GET' | 'POST', path: string, isDoneAgain?: true) =>
    (known: Known<Pick<Webhook, 'webhookId'>>, options: CallOptions = {}): Promise<Answer<T>> =>
      call({ ...options, method, path: `${at(known)}/${path}`, ...(isDoneAgain && { isDoneAgain }) })
  return {
    ...all,
    /** Not repeated after a lost answer, as that of a key. */
    create: (body: NewWebhook, options: CallOptions = {}): Promise<Answer<CreatedWebhook>> =>
      call({ ...options, method: 'POST', path: '/webhooks', body, isDoneAgain: true }),
    update: (known: Known<Pick<Webhook, 'webhookId'>>, body: WebhookUpdate, options?: CallOptions) =>
      put(known, body, options),
    patch: (known: Known<Pick<Webhook, 'webhookId'>>, change: WebhookPatch, options?: CallOptions) =>
      patch(known, change, options),
    /** For 24 hours the secret before signs beside the new one. */
    renewSecret: part<CreatedWebhook>('POST', 'secret', true),
    /** Sends a `webhook.test` now, and says what became of it. */
    test: part<Delivery>('POST', 'test'),
    getDeliveries: part<Deliveries>('GET', 'deliveries'),
    /** Goes on after a cursor, `latest` or `oldest`, or where it stands, at once. */
    move: (
      known: Known<Pick<Webhook, 'webhookId'>>,
      body: PositionUpdate = {},
      options: CallOptions = {},
    ): Promise<Answer<Webhook>> =>
      call({ ...options, method: 'PUT', path: `${at(known)}/position`, body, ifMatch: tagOf(known) }),
  }
}

export const tokensOf = (call: Caller) => ({
  /** Only with a sign id and a password. */
  create: (options: CallOptions = {}): Promise<Answer<Token>> =>
    call({ ...options, method: 'POST', path: '/tokens' }),
  end: (options: CallOptions = {}): Promise<Answer<undefined>> =>
    call({ ...options, method: 'DELETE', path: '/tokens' }),
})
