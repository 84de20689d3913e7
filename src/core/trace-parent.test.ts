import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceParent } from './trace-parent.ts'

const traceId = 'a'.repeat(32)
const spanId = 'b'.repeat(16)

test('a traceparent yields the trace id, the span id of the caller and the sampled flag', () => {
  for (const [flags, isSampled] of Object.entries({ '00': false, '01': true, '02': false, ff: true }))
    assert.deepEqual(readTraceParent(`00-${traceId}-${spanId}-${flags}`), { traceId, spanId, isSampled })
})

test('fields after the flags are valid in later versions of traceparent only', () => {
  assert.equal(readTraceParent(`00-${traceId}-${spanId}-01-extra`), undefined)
  assert.equal(readTraceParent(`01-${traceId}-${spanId}-01-extra`)?.traceId, traceId)
})
