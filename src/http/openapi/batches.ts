import { batchHeaders, batchMethods, maxOperations } from '#http/api/batch-body.ts'
import { mediaTypes } from '#http/message/representation/format.ts'
import { choice, flag, list, object, whole } from '#http/message/schema.ts'
import { targetLimitBytes } from '#http/wire/limits.ts'
import { fieldSchema, type Node, withoutUndefined } from './node.ts'
import type { SchemaSet } from './schemas.ts'

const fieldText = fieldSchema('^[\\t\\x20-\\x7e\\x80-\\xff]*$', {})

const anyObject = (description: string): Node => ({ type: 'object', description, additionalProperties: true })

const operationSchema = object(
  'One change, handled like a single request.',
  {
    method: choice('The method.', batchMethods),
    path: {
      type: 'string',
      description:
        'The path and the query, as in a single request. The path begins with the prefix of the API.',
      pattern: '^/[^"#<>]*$',
      minLength: 1,
      maxLength: targetLimitBytes,
    },
    headers: object(
      'The header fields of this operation. All other fields can be sent only with the batch.',
      Object.fromEntries(
        batchHeaders.map((name) => [
          name,
          { ...fieldText, description: `The same as the header field ${name} of a single request.` },
        ]),
      ),
      { optional: batchHeaders },
    ),
    body: anyObject('The body, as JSON.'),
  },
  { optional: ['headers', 'body'] },
)

const responseSchema = object('The answer to one operation.', {
  status: { ...whole('The status code.', 200, 499), format: 'int32' },
  headers: {
    type: 'object',
    description: 'The header fields about this operation.',
    additionalProperties: fieldText,
  },
  body: {
    description: 'The item, or why the operation was refused. Null if there is none.',
    anyOf: [anyObject('As in the answer to a single request.'), { type: 'null' }],
  },
})

export const batchBody = (example: object | undefined, schemas: SchemaSet): Node => {
  const operation = schemas.add('BatchOperation', operationSchema)
  const operations = list('The operations, carried out in this order.', operation, maxOperations)
  const schema = schemas.add(
    'NewBatch',
    object('Many changes in one request.', {
      atomic: flag('Whether everything is undone if one operation is refused.'),
      operations: { ...operations, minItems: 1 },
    }),
  )
  return { required: true, content: { [mediaTypes.json]: withoutUndefined({ schema, example }) } }
}

export const batchContent = (example: object | undefined, schemas: SchemaSet): Node => {
  const response = schemas.add('BatchResponse', responseSchema)
  const responses = list('The answers, in the order of the operations.', response, maxOperations)
  const schema = schemas.add('Batch', object('The outcome of each operation.', { responses }))
  return { [mediaTypes.json]: withoutUndefined({ schema, example }) }
}
