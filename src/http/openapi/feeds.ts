import { ChangeShown, FeedShown } from '#http/api/cloud-event.ts'
import { text } from '#http/message/schema.ts'
import { type Node, reference } from './node.ts'
import type { SchemaBook } from './schemas.ts'

/** An answer of the feed: some changes of these types, and where to go on. */
export const feedSchema = (types: readonly string[], schemas: SchemaBook): Node => {
  const type = { ...ChangeShown.properties?.type, enum: types }
  schemas.named('Change', { ...ChangeShown, properties: { ...ChangeShown.properties, type } })
  const content = { ...FeedShown.properties?.content, items: reference('schemas', 'Change') }
  return schemas.named('Changes', { ...FeedShown, properties: { ...FeedShown.properties, content } })
}

export const eventStreamMedia: Node = {
  schema: text(
    'Server-sent events. `id` is a cursor, `event` the type of the change or `bookmark`, `data` the change as JSON.',
    '^[^\\0]*$',
    Number.MAX_SAFE_INTEGER,
  ),
  example: 'id: uGkF1yV0c2R0\nevent: bookmark\ndata: {"cursor":"uGkF1yV0c2R0"}\n\n',
}

/** What the service itself sends of a feed to receivers (`webhooks` of OpenAPI 3.1). */
export const deliveryOf = (tag: string): Node => ({
  post: {
    tags: [tag],
    operationId: 'receiveChange',
    summary: 'Receive a change',
    description:
      'One change a request, in the order in which they were committed, each at least once, as the Standard Webhooks specification says. Any 2xx within ten seconds says that it has arrived, 410 that no more are wanted; after anything else it is sent again. A `webhook.test` has no number: its `sequence` is 0.',
    security: [{}],
    parameters: Object.entries(deliveryFields).map(([name, { description, ...schema }]) => ({
      ...{ name, in: 'header', required: true },
      ...{ description, schema },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: reference('schemas', 'Change') } },
    },
    responses: {
      '2XX': { description: 'It has arrived. The body is not read.' },
      410: { description: 'No more are wanted.' },
    },
  },
})

const deliveryFields: Readonly<Record<string, Node>> = {
  'webhook-id': text(
    'The id of the change, the same at each attempt: drop what you know.',
    '^[0-9a-f-]+$',
    36,
  ),
  'webhook-timestamp': text('When it was sent, in seconds since 1970.', '^[0-9]+$', 12),
  'webhook-signature': text(
    'Signatures, of which one must match: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64.',
    '^v1,[A-Za-z0-9+/=]+(?: v1,[A-Za-z0-9+/=]+)*$',
    256,
  ),
}
