import type { OpenApiTexts, ShippedParts } from '#resources/declaration.ts'
import { exampleChange } from '#resources/examples.ts'
import { exampleOf } from '#resources/machine/document.ts'
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
  sentAt: 'When the request was sent.',
  attempt: 'The number of this attempt to send the change, from 1.',
  status: 'The status of the answer. Null if there was no answer.',
  error: 'Why there was no answer, or why the answer was not a success.',
  milliseconds: 'The time from the request to the end of the answer.',
  body: 'The body, rebuilt from the log of changes. Values that were erased after the delivery are missing. Null if the log does not contain the change, because it is too old, or because it was a test or a reset.',
}

const { body: _, ...textsWithoutBody } = deliveryTexts

const elementTexts = (element: string, texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([field, text]) => [`${element}.${field}`, text]))

/** The texts of the OpenAPI document about webhooks, in addition to those that every resource has. */
export const webhookDocument = (shipped: ShippedParts): OpenApiTexts => {
  const webhook = exampleOf(webhookDeclaration, shipped)
  const { url, types, description } = webhook
  const inactive = { ...webhook, active: false }
  return {
    description: 'Addresses to which changes are sent according to the Standard Webhooks specification.',
    fields: {
      ...elementTexts('delivery', textsWithoutBody),
      ...elementTexts('sentDelivery', deliveryTexts),
      'deliveries.content': 'The attempts, newest first.',
      'webhook.secret': 'Shown only in the answer to the request that creates it.',
      'position.after':
        'The position after which delivery continues: a cursor of the log of changes (read without a filter, or with the types of this webhook), `latest` or `oldest`. Null keeps the present position.',
      CreatedWebhook: 'A webhook as it is shown once, with its secret.',
      NewWebhook: 'A webhook to create.',
      WebhookUpdate: 'The new content of a webhook.',
      WebhookPatch: 'Changes of a webhook.',
      PositionUpdate: 'The position in the log of changes at which delivery to a webhook continues.',
      Delivery: 'An attempt to deliver a change.',
      Deliveries: 'The last 100 attempts.',
      SentDelivery: 'An attempt to deliver a change, and what was sent.',
    },
    operations: {
      'GET /webhooks': { description: 'All webhooks, without their secrets.' },
      'POST /webhooks': {
        description:
          'Creates a webhook. It receives all changes from now on, beginning with its own creation. Only this answer shows its `secret`. There are at most 100 webhooks. With `values` the caller needs `changes:read` and the right to read the records that are sent. The caller also needs both rights to change the address, the types, the secret or the position later, and to send a change again.',
      },
      'GET /webhooks/:webhookId': {
        description:
          'One webhook, with its `ETag`. Deliveries change the `ETag`, but an `If-Match` with an earlier one does not fail because of them.',
      },
      'PUT /webhooks/:webhookId': {
        summary: 'Replace a webhook',
        description: 'Replaces a webhook, but not its position in the log of changes.',
        request: { url, types, description, active: false },
        answer: inactive,
      },
      'PATCH /webhooks/:webhookId': {
        summary: 'Change a webhook',
        description: 'Changes some fields of a webhook.',
        request: { active: false },
        answer: inactive,
      },
      'DELETE /webhooks/:webhookId': { description: 'Deletes a webhook and the records of its deliveries.' },
      'POST /webhooks/:webhookId/secret': {
        description:
          'Makes a new secret, which is shown once. For 24 hours deliveries are also signed with the former secret.',
      },
      'POST /webhooks/:webhookId/test': {
        id: 'testWebhook',
        description:
          'Sends a `webhook.test` at once and returns the result, even if the webhook is not active. It is sent only once. A webhook can have one test at a time.',
        answer: delivery,
      },
      'PUT /webhooks/:webhookId/position': {
        id: 'moveWebhook',
        description:
          'Moves the webhook in the log of changes, to send changes again or to skip some. Ends the states `disabled` and `lapsed` and the pause after a failure: the next change is sent at once.',
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
          'One of the last 100 attempts, with the body that was sent. The caller also needs `changes:read`, and with `values` the right to read the record.',
        answer: { ...delivery, type: 'todo.created', body: JSON.stringify(exampleChange('todo', [])) },
      },
      'POST /webhooks/:webhookId/deliveries/:deliveryId/resend': {
        id: 'resendWebhookDelivery',
        description:
          'Sends the change of a delivery again at once and returns the result, even if the webhook is not active. The `webhook-id` is the same, so a receiver that has the change can drop it; timestamp and signature are new. The queue of changes still to be sent is not affected.',
        answer: { ...delivery, type: 'todo.created', attempt: 2 },
      },
    },
  }
}
