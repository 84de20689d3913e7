import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCsv, writeCsv } from './csv.ts'
import { readArray } from './json-array.ts'
import { readLines } from './reading.ts'

/** The text in pieces of a length: a boundary may fall anywhere. */
async function* pieces(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

const field = fc.option(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é', '漢') }), {
  nil: undefined,
})

test('CSV that was written is read as it was, null apart from empty, wherever it is cut', async () => {
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 7 }), async (given, length) => {
      const read = await Array.fromAsync(readCsv(pieces(given.map(writeCsv).join(''), length)))
      assert.deepEqual(
        read.map(({ fields }) => fields),
        given,
      )
    }),
  )
})

test('a record of CSV says the line it begins on, and a quote that is never closed is refused', async () => {
  const read = await Array.fromAsync(readCsv(pieces('a,b\r\n"x\ny",1\n\nc,""', 3)))
  assert.deepEqual(
    read.map(({ line, fields }) => [line, ...fields]),
    [
      [1, 'a', 'b'],
      [2, 'x\ny', '1'],
      [5, 'c', ''],
    ],
  )
  await assert.rejects(Array.fromAsync(readCsv(pieces('a,"b', 2))), /quote of line 1 is never closed/)
})

test('the elements of an array come out one by one, wherever it is cut', async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }))
  await fc.assert(
    fc.asyncProperty(
      objects,
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      async (given, length, indented) => {
        const text = JSON.stringify(given, undefined, indented ? 2 : undefined)
        const read = await Array.fromAsync(readArray(pieces(text, length)))
        assert.deepEqual(
          read.map((element) => JSON.parse(element.text)),
          JSON.parse(text),
        )
      },
    ),
  )
  await assert.rejects(Array.fromAsync(readArray(pieces('[{"a":1}', 3))), /not whole/)
  await assert.rejects(Array.fromAsync(readArray(pieces('{"a":1}', 3))), /array of objects is expected/)
})

test('a column that is named as what every object has is a field as any other, and its text a text', async () => {
  const schema = { properties: { finished: { type: 'boolean' } } }
  const csv = '__proto__.x,constructor.prototype.y,finished\n1,2,constructor\n'
  const [line] = await Array.fromAsync(readLines('csv', pieces(csv, 5), schema))
  const expected = '{"__proto__":{"x":"1"},"constructor":{"prototype":{"y":"2"}},"finished":"constructor"}'
  assert.equal(JSON.stringify(line?.parse()), expected)
  assert.ok(!('x' in {}) && !('y' in {}))
})
