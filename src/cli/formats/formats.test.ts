import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readArray } from '#http/message/body/json-array.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { foreignMember } from '#resources/member/foreign.ts'
import { readEntries } from './reading.ts'

/** Splits the text into pieces of this length, so that a boundary may fall anywhere. */
async function* pieces(text: string, length: number) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

test('the elements of a JSON array are read one by one, wherever its text is split', async () => {
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
  await assert.rejects(Array.fromAsync(readArray(pieces('[{"a":1}', 3))), /not complete/)
  await assert.rejects(Array.fromAsync(readArray(pieces('{"a":1}', 3))), /expected an array of objects/)
})

const todo = { properties: { todoTitle: {}, finished: { type: 'boolean' } }, required: ['todoTitle'] }
const credential = { properties: { signId: {}, password: {}, hash: {} }, eitherOf: ['password', 'hash'] }
const person = {
  properties: { firstName: {}, genderCode: {}, credential, links: { readOnly: true } },
  required: ['firstName', 'credential'],
}

test('a CSV header from a spreadsheet may have a BOM, semicolons, spaces and short names', async () => {
  const csv = '\ufefffirstName; signId ;"password"\nAiko;aiko;demodemo\n;;\n'
  const lines = await Array.fromAsync(readEntries('csv', pieces(csv, 5), person))
  assert.deepEqual(
    lines.map((line) => JSON.stringify(line.parse())),
    ['{"firstName":"Aiko","credential":{"signId":"aiko","password":"demodemo"}}'],
  )
})

test('the cells of saved refusals are read without the apostrophe that keeps a spreadsheet from running them', async () => {
  const csv = "Reason,firstName,password\nx,'=1+1,'@demodemo\n"
  const lines = await Array.fromAsync(readEntries('csv', pieces(csv, 5), person, { foreign: foreignMember }))
  assert.deepEqual(
    lines.map((line) => line.parse()),
    [{ firstName: '=1+1', credential: { password: '@demodemo' } }],
  )
})

test('an empty cell of an unnamed column is ignored', async () => {
  const lines = await Array.fromAsync(readEntries('csv', pieces('todoTitle,,\nx,,\ny,,z\n', 5), todo))
  assert.deepEqual(
    lines.map((line) => JSON.stringify(line.parse())),
    ['{"todoTitle":"x"}', '{"todoTitle":"y","":"z"}'],
  )
})

const headings: readonly (readonly [string, JsonSchema, string])[] = [
  ['todoTitle,__proto__.x', todo, 'the column __proto__.x is unknown, there are todoTitle, finished'],
  ['todoTitle,constructor', todo, 'the column constructor is unknown, there are todoTitle, finished'],
  ['title', todo, 'its first line names none of the columns todoTitle, finished'],
  ['finished', todo, 'the column todoTitle is missing'],
  [
    'firstName,gender,credential.hash',
    person,
    'the column gender is unknown, the closest is genderCode (--map "gender=…" says what it is)',
  ],
  ['first_names,signId', person, 'the column first_names is unknown, the closest is firstName'],
  ['firstNmae,password', person, 'the column firstNmae is unknown, the closest is firstName'],
  ['firstName,genderCode', person, 'the column credential.password is missing'],
  ['firstName,links', person, 'the column links is unknown'],
]

for (const [heading, schema, words] of headings)
  test(`columns that records do not have, or lack, are refused before the first row: ${heading}`, async () => {
    const read = readEntries('csv', pieces(`${heading}\n${'x,'.repeat(3)}\n`, 5), schema)[
      Symbol.asyncIterator
    ]()
    await assert.rejects(read.next(), ({ message }) => message.startsWith(words))
  })

const clashes: readonly (readonly [string, JsonSchema, RegExp])[] = [
  ['todoTitle,todoTitle', todo, /^Error: two columns are named todoTitle$/],
  ['password,credential.password', person, /^Error: two columns are named credential\.password$/],
  [
    'credential,password',
    person,
    /^Error: the column credential\.password is a part of the column credential$/,
  ],
  ['password,credential.password.note', person, /^Error: the column credential\.password\.note is a part of/],
]

for (const [heading, schema, words] of clashes)
  test(`columns that would fill the same field are refused without quoting their cells: ${heading}`, async () => {
    const read = Array.fromAsync(readEntries('csv', pieces(`${heading}\nsecret-1,secret-2\n`, 5), schema))
    await assert.rejects(read, (error) => words.test(String(error)))
  })

for (const record of ['aiko,secret-1,secret-1', 'secret-1,secret-1.x'])
  test(`a record where the header line should be is not quoted, even if two of its cells look like one column: ${record}`, async () => {
    const read = Array.fromAsync(readEntries('csv', pieces(`${record}\n`, 5), person))
    await assert.rejects(read, /^Error: its first line names none of the columns firstName/)
  })

for (const text of [',[{}]', '[,{}]', '[{},,{}]', '[{} {}]', '[{},]', '[{}],', '[{}][{}]'])
  test(`a malformed array is refused: ${text}`, async () => {
    await assert.rejects(Array.fromAsync(readArray(pieces(text, 3))), /expected an array of objects/)
  })
