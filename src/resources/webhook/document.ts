import type { OwnDocument } from '#resources/declaration.ts'
import { exampleChange } from '#resources/examples.ts'
import { exampleOf } from '#resources/machine/document.ts'
import type { Own } from '#resources/machine/storage.ts'
import { type SentDelivery, webhookDeclaration } from './declaration.ts'

const delivery = {
  deliveryId: '019e6a3c-6c00-7000-8000-000000000003',
  changeId: '019e6a3c-6c00-7000-8000-000000000002',
  type: 'webhook.test',
  sentAt: '2026-11-21T06:45:00.123Z',
  attempt: 1,
  status: 204,
  error: null,
  milliseconds: 38,
}

const deliveryTexts: Readonly<Record<keyof SentDelivery, string>> = {
  deliveryId: 'Identifies the attempt.',
  changeId: 'The change that was sent, and the `webhook-id` of the request.',
  type: 'The type of the change.',
  sentAt: 'When it was sent.',
  attempt: 'How often this change had been sent then, counted from 1.',
  status: 'What the receiver answered. Null: nothing.',
  error: 'Why there was no answer, or why the answer was not a success.',
  milliseconds: 'How long it took.',
  body: 'What was sent, made again from the log of changes as it would be sent now: without what has been erased since. Null: the log no longer has the change, or never had it, as for a test or a reset.',
}

const { body: _, ...listedTexts } = deliveryTexts

const textsOf = (element: string, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [`${element}.${field}`, text]))

/** The document's texts about webhooks, in addition to those of every resource. */
export const webhookDocument = (own: Own): OwnDocument => {
  const webhook = exampleOf(webhookDeclaration, own)
  const { url, types, description } = webhook
  const inactive = { ...webhook, active: false }
  return {
    description: 'Addresses that are told of changes, as the Standard Webhooks specification says.',
    fields: {
      ...textsOf('delivery', listedTexts),
      ...textsOf('sentDelivery', deliveryTexts),
      'deliveries.content': 'The attempts, newest first.',
      'webhook.secret': 'Shown once, when it is made.',
      'position.after':
        'A cursor of the log of changes, for no filter or for the types of the webhook; `latest`, `oldest`, or null: where it stands.',
      CreatedWebhook: 'A webhook as it is shown once, with its secret.',
      NewWebhook: 'A webhook to create.',
      WebhookUpdate: 'A webhook as a request replaces it.',
      WebhookPatch: 'Changes of a webhook.',
      PositionUpdate: 'Where a webhook is to go on.',
      Delivery: 'An attempt to deliver a change.',
      Deliveries: 'The last 100 attempts.',
      SentDelivery: 'An attempt to deliver a change, and what was sent.',
    },
    operations: {
      'GET /webhooks': { description: 'All webhooks, without their secrets.' },
      'POST /webhooks': {
        description:
          'Creates a webhook. It gets what is changed from now on, its own creation first. Its `secret` is in this answer and nowhere else. There are at most 100. With `values` the caller needs `changes:read` and the right to read the records that are sent. It needs them later, too, to change the address, the types, the secret or the position, and to send again.',
      },
      'GET /webhooks/:webhookId': {
        description:
          'One webhook, with its `ETag`. The progress of delivery changes the `ETag`, but makes no `If-Match` fail.',
      },
      'PUT /webhooks/:webhookId': {
        summary: 'Replace a webhook',
        description: 'Replaces a webhook. Its place in the log of changes stays.',
        request: { url, types, description, active: false },
        answer: inactive,
      },
      'PATCH /webhooks/:webhookId': {
        summary: 'Change a webhook',
        description: 'Changes some fields of a webhook.',
        request: { active: false },
        answer: inactive,
      },
      'DELETE /webhooks/:webhookId': {
        description: 'Deletes a webhook, and what is known of its deliveries.',
      },
      'POST /webhooks/:webhookId/secret': {
        description:
          'Makes a new secret, which is shown once. For 24 hours deliveries are signed with the former one as well.',
      },
      'POST /webhooks/:webhookId/test': {
        id: 'testWebhook',
        description:
          'Sends a `webhook.test` now, once, also if the webhook is not active, and returns the result. One test of a webhook at a time.',
        answer: delivery,
      },
      'PUT /webhooks/:webhookId/position': {
        id: 'moveWebhook',
        description:
          'Replays changes or skips some. It ends the `disabled` and the `lapsed` state and the pause after a failure: the next change is sent at once.',
        request: { after: 'latest' },
        answer: webhook,
      },
      'GET /webhooks/:webhookId/deliveries': {
        id: 'getWebhookDeliveries',
        description: 'The last 100 attempts to deliver, newest first.',
        answer: { content: [delivery] },
      },
      'GET /webhooks/:webhookId/deliveries/:deliveryId': {
        id: 'getWebhookDelivery',
        description:
          'One of the last 100 attempts, with the body that was sent. It needs `changes:read` as well, and with `values` the right to read the record.',
        answer: { ...delivery, type: 'todo.created', body: JSON.stringify(exampleChange('todo', [])) },
      },
      'POST /webhooks/:webhookId/deliveries/:deliveryId/resend': {
        id: 'resendWebhookDelivery',
        description:
          'Sends the change of a delivery again, now and once, also if the webhook is not active, and returns the result. The `webhook-id` is the same, so a receiver that has the change can tell; timestamp and signature are new. The changes still to be sent stay the same.',
        answer: { ...delivery, type: 'todo.created', attempt: 2 },
      },
    },
  }
}
