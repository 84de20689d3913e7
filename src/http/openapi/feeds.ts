import { changePageSchema, changeSchema } from '#http/api/cloud-event.ts'
import { text } from '#http/message/schema.ts'
import { type Node, reference } from './node.ts'
import type { SchemaSet } from './schemas.ts'

/** Adds the schemas of an answer of the feed: some changes of these types, and the cursor to continue from. */
export const addFeedSchemas = (types: readonly string[], schemas: SchemaSet): Node => {
  const type = { ...changeSchema.properties?.type, enum: types }
  schemas.add('Change', { ...changeSchema, properties: { ...changeSchema.properties, type } })
  const content = { ...changePageSchema.properties?.content, items: reference('schemas', 'Change') }
  return schemas.add('Changes', {
    ...changePageSchema,
    properties: { ...changePageSchema.properties, content },
  })
}

export const eventStreamMedia: Node = {
  schema: text(
    'Server-sent events. `id` is a cursor, `event` the type of the change or `bookmark`, `data` the change as JSON.',
    '^[^\\0]*$',
    Number.MAX_SAFE_INTEGER,
  ),
  example: 'id: uGkF1yV0c2R0\nevent: bookmark\ndata: {"cursor":"uGkF1yV0c2R0"}\n\n',
}

/** The request that the service sends to receivers of webhooks (`webhooks` of OpenAPI 3.1). */
export const deliveryOf = (tag: string): Node => ({
  post: {
    tags: [tag],
    operationId: 'receiveChange',
    summary: 'Receive a change',
    description:
      'Each request carries one change and follows the Standard Webhooks specification. Changes arrive in the order of their commits, each at least once. Answer with any 2xx within ten seconds, or with 410 to receive no more changes. After any other answer, the change is sent again. A test event (type `webhook.test`) is no change and has no number: its `sequence` is 0.',
    security: [{}],
    parameters: Object.entries(deliveryFields).map(([name, { description, ...schema }]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: reference('schemas', 'Change') } },
    },
    responses: {
      '2XX': { description: 'The change has arrived. The body is not read.' },
      410: { description: 'The receiver wants no more changes.' },
    },
  },
})

const deliveryFields: Readonly<Record<string, Node>> = {
  'webhook-id': text(
    'The id of the change, the same at each attempt. Ignore a change whose id you have received before.',
    '^[0-9a-f-]+$',
    36,
  ),
  'webhook-timestamp': text('When the request was sent, in seconds since 1970.', '^[0-9]+$', 12),
  'webhook-signature': text(
    'One or more signatures, separated by spaces; one must match. Each is `v1,` followed by the HMAC-SHA256 of `id.timestamp.body` in Base64.',
    '^v1,[A-Za-z0-9+/=]+(?: v1,[A-Za-z0-9+/=]+)*$',
    256,
  ),
}
