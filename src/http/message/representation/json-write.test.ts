import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUtc, formatWithOffset } from '#core/formats.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { jsonWriter } from './json-write.ts'

const text: JsonSchema = { type: 'string' }
const schema: JsonSchema = {
  properties: {
    'na"me': text,
    flag: { type: 'boolean' },
    count: { type: 'integer' },
    at: { type: 'string', zone: 'local' },
    inner: { properties: { deep: text, other: text, since: { type: 'string', zone: 'utc' } } },
    list: { items: { properties: { rel: text } } },
  },
}

const jsonOf = jsonWriter('Asia/Tokyo')

test('a value is written exactly as JSON.stringify writes its shown fields', () => {
  const texts = fc.option(fc.string({ unit: 'binary' }), { nil: null })
  const instants = fc.integer({ min: 0, max: 4e12 })
  const values = fc.record(
    {
      'na"me': texts,
      flag: fc.option(fc.boolean(), { nil: null }),
      count: fc.option(fc.integer(), { nil: null }),
      at: instants,
      inner: fc.option(
        fc.record({ deep: texts, other: texts, since: instants }, { requiredKeys: ['since'] }),
        { nil: null },
      ),
      list: fc.array(fc.record({ rel: texts, unknown: texts })),
      unknown: texts,
    },
    { requiredKeys: ['at', 'inner', 'list'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(values, ({ unknown: _, at, inner, list, ...others }) => {
      const shown = {
        ...{ 'na"me': others['na"me'], flag: others.flag, count: others.count },
        at: formatWithOffset(at, 'Asia/Tokyo'),
        inner: inner && { deep: inner.deep, other: inner.other, since: formatUtc(inner.since) },
        list: list.map(({ rel }) => ({ rel })),
      }
      assert.equal(jsonOf(schema)({ ...others, unknown: 1, at, inner, list }), JSON.stringify(shown))
    }),
  )
})

test('empty objects and empty lists are written', () => {
  assert.equal(jsonOf(schema)({}), '{}')
  assert.equal(jsonOf(schema)({ list: [], inner: {} }), '{"inner":{},"list":[]}')
})
