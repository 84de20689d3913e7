import { plainText } from '#core/formats.ts'
import { maxPageSize } from '#core/page.ts'
import { type Node, reference, text } from './node.ts'
import type { SchemaBook } from './schemas.ts'

/** An answer of the feed: some changes, and where to go on. */
export const feedSchema = (types: readonly string[], schemas: SchemaBook): Node => {
  schemas.named('Change', changeOf(types))
  return schemas.named('Changes', {
    type: 'object',
    description: 'Some changes, and where to go on.',
    xml: { name: 'changes' },
    properties: {
      content: {
        type: 'array',
        description: 'The changes, in the order in which they were committed.',
        maxItems: maxPageSize,
        xml: { wrapped: true },
        items: reference('schemas', 'Change'),
      },
      cursor: text('Where the next answer begins, if it is sent as `after`.', '^[A-Za-z0-9_-]+$', 1024),
      more: { type: 'boolean', description: 'Whether more changes may follow at once.' },
    },
    required: ['content', 'cursor', 'more'],
    additionalProperties: false,
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

const changeOf = (types: readonly string[]): Node => ({
  type: 'object',
  description: 'One committed change, as a CloudEvent 1.0. It names fields and holds no values.',
  xml: { name: 'change' },
  properties: {
    specversion: { type: 'string', description: 'The version of CloudEvents.', enum: ['1.0'] },
    id: { type: 'string', format: 'uuid', maxLength: 36, description: 'Identifies the change.' },
    source: text('The path of the record.', '^/[^?#]+$', 256),
    type: { type: 'string', description: 'What was done.', enum: types },
    time: {
      type: 'string',
      format: 'date-time',
      maxLength: 29,
      description: 'When it was done.',
    },
    subject: { type: 'string', format: 'uuid', maxLength: 36, description: 'The identifier of the record.' },
    sequence: text('Its number: the next change has the next one.', '^[1-9][0-9]*$', 19),
    data: {
      type: 'object',
      description: 'What is known of it.',
      properties: {
        version: {
          type: 'integer',
          format: 'int64',
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'The version of the record that it made. A deletion has one of its own.',
        },
        changed: {
          type: 'array',
          maxItems: 64,
          description: 'The names of the fields that it changed.',
          xml: { wrapped: true },
          items: { type: 'string', pattern: '^[A-Za-z.]+$', maxLength: 64, xml: { name: 'name' } },
        },
        by: text(
          'Who did it: `administrator`, the id of a member, or the name of a client.',
          plainText,
          8192,
        ),
        track: text('The `X-Track` of the request that did it.', plainText, 64),
      },
      required: ['version', 'changed', 'by', 'track'],
      additionalProperties: false,
    },
  },
  required: ['specversion', 'id', 'source', 'type', 'time', 'subject', 'sequence', 'data'],
  additionalProperties: false,
})

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
