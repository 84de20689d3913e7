import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonText } from './json-write.ts'
import type { JsonSchema } from './schema.ts'

const text: JsonSchema = { type: 'string' }
const schema: JsonSchema = {
  properties: {
    'na"me': text,
    flag: { type: 'boolean' },
    count: { type: 'integer' },
    at: { type: 'string', zone: 'utc' },
    inner: { properties: { deep: text, other: text } },
    list: { items: { properties: { rel: text } } },
  },
}

test('it writes what JSON.stringify writes of the fields that the schema names', () => {
  const texts = fc.option(fc.string({ unit: 'binary' }), { nil: null })
  const values = fc.record(
    {
      'na"me': texts,
      flag: fc.option(fc.boolean(), { nil: null }),
      count: fc.option(fc.integer(), { nil: null }),
      at: fc.constantFrom('2026-11-21T06:45:00.123Z', null, undefined),
      inner: fc.option(fc.record({ deep: texts, other: texts }, { requiredKeys: [] }), { nil: null }),
      list: fc.option(fc.array(fc.record({ rel: texts })), { nil: null }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  fc.assert(
    fc.property(values, (value) => {
      const named = Object.fromEntries(
        Object.keys(schema.properties ?? {}).map((name) => [name, (value as Record<string, unknown>)[name]]),
      )
      // The fields of inner are in the schema's order too.
      const { inner } = value
      if (inner) named.inner = { deep: inner.deep, other: inner.other }
      assert.equal(jsonText(value, schema), JSON.stringify(named))
    }),
  )
})

test('an object of nothing, and lists of nothing, are written too', () => {
  assert.equal(jsonText({}, schema), '{}')
  assert.equal(jsonText({ list: [], inner: {} }, schema), '{"inner":{},"list":[]}')
})
