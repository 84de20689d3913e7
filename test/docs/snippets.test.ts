import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rollcall } from '#client/index.ts'
import { clientCall, isInClient } from '#console/app/documents/snippets.ts'
import { document } from '../conform/document.ts'

test('the client has each method that the API reference names', () => {
  const client = rollcall('http://localhost') as unknown as Record<string, Record<string, unknown>>
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item)) as readonly {
    readonly operationId: string
    readonly tags: readonly string[]
  }[]
  for (const { operationId, tags } of operations.filter(isInClient)) {
    const { collection, method } = clientCall(operationId, tags[0] ?? '')
    assert.ok(Object.hasOwn(client, collection), collection)
    assert.equal(typeof client[collection]?.[method], 'function', operationId)
  }
})
