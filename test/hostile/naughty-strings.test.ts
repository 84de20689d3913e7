import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { profile } from '../people.ts'
import { createMember } from '../scenarios/creating.ts'
import { body, field, prepare, rows, service, xmlBody } from '../scenarios/table.ts'
import { asXml, meaning, readXml, writeXml } from '../scenarios/xml.ts'

/** Strings known to break programs. */
const naughty = createRequire(import.meta.url)('big-list-of-naughty-strings') as readonly string[]

const app = service()
let member = ''
prepare(async () => {
  member = `/members/${(await createMember(app())).memberId}`
})

const lengthOf = (text: string): number => [...text].length
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
const isStorable = (text: string): boolean => !/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(text)
const storable = (minLength: number, maxLength: number): string[] =>
  naughty.filter((text) => isStorable(text) && lengthOf(text) >= minLength && lengthOf(text) <= maxLength)

test('the list holds more than 400 storable strings of 1 to 128 characters', () =>
  assert.ok(storable(1, 128).length > 400))

test('every naughty string of valid length is accepted as a title and returned unchanged', async () => {
  const titles = storable(1, 30)
  for (const [i, todoTitle] of titles.entries()) {
    const answer =
      i % 2 === 0
        ? await app()('POST /todos', { todoTitle })
        : await app()('POST /todos', writeXml('todo', { todoTitle }), xmlBody)
    assert.equal(answer.status, 201, `${JSON.stringify(todoTitle)}: ${answer.text}`)
    assert.equal(field(answer, 'todoTitle'), todoTitle)
  }
  const shown = rows(await app()('GET /todos'))
  assert.deepEqual(
    shown.map((todo) => todo.todoTitle),
    titles,
  )
  const elements = readXml((await app()('GET /todos.xml')).text).children
  assert.deepEqual(elements.map(meaning), shown.map(asXml))
})

test('every naughty string of valid length round-trips as name and address, and finds its member', async () => {
  for (const [i, text] of storable(1, 128).entries()) {
    const fields = { firstName: text, lastName: text, address: text }
    const answer = await app()(`PUT ${member}`, profile(fields))
    assert.equal(answer.status, 200, `${JSON.stringify(text)}: ${answer.text}`)
    const shown = body(answer)
    for (const [name, value] of Object.entries(fields)) assert.equal(shown[name], value)
    // All titles above were read as XML.
    if (i % 4 === 0) assert.deepEqual(meaning(readXml((await app()(`GET ${member}.xml`)).text)), asXml(shown))
    const found = await app()(`GET /members?name=${encodeURIComponent(text)}`)
    assert.equal(found.status, 200, `${JSON.stringify(text)}: ${found.text}`)
    assert.deepEqual(rows(found), [shown], JSON.stringify(text))
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
