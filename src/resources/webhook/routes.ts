import { codeOfKind } from '#core/problem.ts'
import { ResponseOf } from '#core/shapes.ts'
import type { Routes } from '#http/api/routes.ts'
import { Deliveries, Delivery, PositionUpdate, SentDelivery, webhookFields } from './declaration.ts'
import { webhookCodes } from './messages.ts'
import type { WebhookService } from './service.ts'

const item = '/webhooks/:webhookId'

export const webhookRoutes = (http: Routes, webhooks: WebhookService) => {
  http.post(
    `${item}/test`,
    { operation: 'webhooks:update', summary: 'Test a webhook', shows: { full: Delivery }, notInBatch: true },
    ({ params, actor }) => webhooks.test(params.webhookId, actor),
  )
  http.put(
    `${item}/position`,
    {
      operation: 'webhooks:update',
      summary: 'Move a webhook in the log of changes',
      shows: { full: ResponseOf('webhook', webhookFields) },
      body: PositionUpdate,
      changedPath: item,
      refusals: [codeOfKind.gone],
    },
    ({ params, body, ...call }) => webhooks.move(params.webhookId, body.after, call),
  )
  http.get(
    `${item}/deliveries`,
    { operation: 'webhooks:read', summary: 'Get the deliveries of a webhook', shows: { full: Deliveries } },
    ({ params }) => webhooks.deliveries(params.webhookId),
  )
  // Requires the right to update webhooks, because the body may contain a record.
  http.get(
    `${item}/deliveries/:deliveryId`,
    { operation: 'webhooks:update', summary: 'Get a delivery of a webhook', shows: { full: SentDelivery } },
    ({ params, principal }) => webhooks.delivery(params.webhookId, params.deliveryId, principal),
  )
  http.post(
    `${item}/deliveries/:deliveryId/resend`,
    {
      operation: 'webhooks:update',
      summary: 'Send a delivery again',
      shows: { full: Delivery },
      notInBatch: true,
      refusals: [webhookCodes.changeNotKept, webhookCodes.neverInLog],
    },
    ({ params, principal }) => webhooks.resend(params.webhookId, params.deliveryId, principal),
  )
}
