import type { JsonSchema } from '#http/message/schema.ts'
import { targetLimitBytes } from '#http/wire/limits.ts'

export const maxOperations = 100

export interface BatchBody {
  readonly atomic: boolean
  readonly operations: readonly BatchOperation[]
}

export interface BatchOperation {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const batchMethods = ['POST', 'PUT', 'PATCH', 'DELETE']

/** The header fields that an operation may have. All others belong to the batch. */
export const batchHeaders = ['Idempotency-Key', 'If-Match', 'If-None-Match', 'If-Unmodified-Since', 'Prefer']

const operationSchema = {
  type: 'object',
  properties: {
    method: { type: 'string', pattern: `^(?:${batchMethods.join('|')})$` },
    path: { type: 'string', minLength: 1, maxLength: targetLimitBytes, pattern: '^/' },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 8_192, pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' },
    },
    body: {},
  },
  required: ['method', 'path'],
  additionalProperties: false,
}

export const batchSchema = {
  type: 'object',
  properties: {
    atomic: { type: 'boolean' },
    operations: { type: 'array', minItems: 1, maxItems: maxOperations, items: operationSchema },
  },
  required: ['atomic', 'operations'],
  additionalProperties: false,
} as JsonSchema
