import type { Routes } from '#http/api/routes.ts'
import { Deliveries, Delivery, MadeWebhook, NewPosition, NewWebhook, Webhook } from './schema.ts'
import type { WebhookService } from './service.ts'
import { webhookSortable } from './store.ts'

const shows = { full: Webhook }
const item = '/webhooks/:webhookId'

export const webhookRoutes = (http: Routes, webhooks: WebhookService) => {
  http.list(
    '/webhooks',
    {
      ...{ operation: 'webhooks:read', summary: 'List webhooks', shows },
      ...{ filter: {}, sortable: webhookSortable, names: 'webhookId' },
    },
    webhooks,
  )
  http.post(
    '/webhooks',
    {
      ...{ operation: 'webhooks:create', summary: 'Create a webhook', shows: { full: MadeWebhook } },
      ...{ body: NewWebhook, names: 'webhookId', isSecret: true, refuses: ['e.xx.wh.8001'] },
    },
    ({ body, actor }) => webhooks.create(body, actor),
  )
  http.get(item, { operation: 'webhooks:read', summary: 'Get a webhook', shows }, ({ params }) =>
    webhooks.find(params.webhookId),
  )
  http.put(
    item,
    { operation: 'webhooks:update', summary: 'Replace a webhook', shows, body: NewWebhook },
    ({ params, body, ...asked }) => webhooks.change(params.webhookId, body, asked),
  )
  http.patch(
    item,
    { operation: 'webhooks:update', summary: 'Change a webhook', shows, body: NewWebhook },
    ({ params, body, ...asked }) => webhooks.change(params.webhookId, body, asked),
  )
  http.delete(item, { operation: 'webhooks:delete', summary: 'Delete a webhook' }, ({ params, ...asked }) =>
    webhooks.remove(params.webhookId, asked),
  )
  http.post(
    `${item}/secret`,
    {
      ...{ operation: 'webhooks:update', summary: 'Renew the secret of a webhook' },
      ...{ shows: { full: MadeWebhook }, isSecret: true, refuses: ['e.xx.wh.8002'] },
    },
    ({ params, actor }) => webhooks.renewSecret(params.webhookId, actor),
  )
  http.post(
    `${item}/test`,
    { operation: 'webhooks:update', summary: 'Test a webhook', shows: { full: Delivery }, isAlone: true },
    ({ params, actor }) => webhooks.test(params.webhookId, actor),
  )
  http.put(
    `${item}/position`,
    {
      ...{ operation: 'webhooks:update', summary: 'Move a webhook in the log of changes', shows },
      ...{ body: NewPosition, changes: item, refuses: ['e.xx.fw.5002'] },
    },
    ({ params, body, expected }) => webhooks.move(params.webhookId, body.after, expected),
  )
  http.get(
    `${item}/deliveries`,
    { operation: 'webhooks:read', summary: 'Get the deliveries of a webhook', shows: { full: Deliveries } },
    ({ params }) => webhooks.deliveries(params.webhookId),
  )
}
