import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceParent } from './trace-parent.ts'

const traceId = 'a'.repeat(32)
const spanId = 'b'.repeat(16)

test('a trace parent names the trace, the span of the caller and whether it is kept', () => {
  assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
  assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-02`), { traceId, spanId, isSampled: false })
})

test('what follows the flags belongs to a later version, and is not valid in this one', () => {
  assert.equal(readTraceParent(`00-${traceId}-${spanId}-01-extra`), undefined)
  assert.equal(readTraceParent(`01-${traceId}-${spanId}-01-extra`)?.traceId, traceId)
})
