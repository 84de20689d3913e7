import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { person } from '../people.ts'
import { field, rows, service, xmlBody } from '../scenarios/table.ts'
import { asXml, meaning, readXml, writeXml } from '../scenarios/xml.ts'

/** Strings known to break programs. */
const naughty = createRequire(import.meta.url)('big-list-of-naughty-strings') as readonly string[]

const app = service()

const lengthOf = (text: string): number => [...text].length
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
const isStorable = (text: string): boolean => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)
const storable = (minLength: number, maxLength: number): string[] =>
  naughty.filter((text) => isStorable(text) && lengthOf(text) >= minLength && lengthOf(text) <= maxLength)

test('the list of naughty strings holds more than 400 storable strings of 1 to 128 characters', () =>
  assert.ok(storable(1, 128).length > 400))

test('every naughty string of valid length is kept as a name and an address, in JSON and in XML, and finds its member', async () => {
  const texts = storable(1, 128)
  const operations = texts.map((text) => ({
    method: 'POST',
    path: '/api/v1/members',
    body: person({ firstName: text, lastName: text, address: text }),
  }))
  for (let at = 0; at < operations.length; at += 100) {
    const answer = await app()('POST /batch', { atomic: true, operations: operations.slice(at, at + 100) })
    assert.equal(answer.status, 200, answer.text)
  }
  const shown = rows(await app()('GET /members'))
  assert.deepEqual(
    shown.map(({ firstName, lastName, address }) => [firstName, lastName, address]),
    texts.map((text) => [text, text, text]),
  )
  assert.deepEqual(readXml((await app()('GET /members.xml')).text).children.map(meaning), shown.map(asXml))
  for (const [at, text] of texts.entries()) {
    const found = await app()(`GET /members?fields=memberId&name=${encodeURIComponent(text)}`)
    assert.equal(found.status, 200, `${JSON.stringify(text)}: ${found.text}`)
    const ids = rows(found).map(({ memberId }) => memberId)
    assert.ok(ids.includes(shown[at]?.memberId), JSON.stringify(text))
  }
})

test('every naughty string of valid length is read from XML as a title', async () => {
  for (const todoTitle of storable(1, 30)) {
    const answer = await app()('POST /todos', writeXml('todo', { todoTitle }), xmlBody)
    assert.equal(field(answer, 'todoTitle'), todoTitle)
  }
})

test('no naughty string in a path, a query or a header causes a server error', async () => {
  for (const text of naughty.filter((one) => lengthOf(one) <= 500)) {
    const coded = encodeURIComponent(text)
    const header = encodeURI(text).slice(0, 200)
    const answers = await Promise.all([
      app()(`GET /members/${coded || 'x'}?fields=${coded}`, undefined, {
        'accept-language': header,
        prefer: header,
        'idempotency-key': header,
      }),
      app()(`GET /todos?sort=${coded}&page=${coded}`, undefined, {
        accept: header,
        'x-track': header,
        'if-none-match': header,
      }),
    ])
    for (const answer of answers)
      assert.ok(answer.status >= 200 && answer.status < 500, `${JSON.stringify(text)}: ${answer.status}`)
  }
})
