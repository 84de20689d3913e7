import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness.ts'
import { createTodo } from './creating.ts'
import {
  type Body,
  body,
  content,
  expectAnswer,
  isObject,
  prepare,
  type Row,
  rows,
  service,
  table,
} from './table.ts'

const app = service()
const empty = service()
const changing = service()
const total = 45
const todos: Body[] = []

prepare(async () => {
  for (let i = 0; i < total; i += 1) {
    const id = await createTodo(app(), `t${String((i * 7) % total).padStart(2, '0')}`)
    if (i % 3 === 0) await app()(`PUT /todos/${id}`)
  }
  todos.push(...rows(await app()('GET /todos')))
  assert.equal(todos.length, total)
})

const ids = (list: readonly Body[]): unknown[] => list.map((row) => row.todoId)

/** The path, without the API prefix, of the link with this relation. */
const link = (answer: Answer, rel: string): string | undefined => {
  const links = body(answer).links
  assert.ok(Array.isArray(links), 'links')
  const found: unknown = links.find((one: unknown) => isObject(one) && one.rel === rel)
  if (!isObject(found)) return undefined
  const prefix = `${app().url}/api/v1`
  assert.ok(String(found.href).startsWith(`${prefix}/`), `${found.href} is absolute`)
  return String(found.href).slice(prefix.length)
}

/** The address of each link in the Link header, by relation. */
const linkHeader = (answer: Answer): Record<string, string> =>
  Object.fromEntries(
    [...(answer.headers.link ?? '').matchAll(/<([^>]*)>\s*;\s*rel="?([a-z]+)"?/g)].map(([, href, rel]) => [
      rel,
      href,
    ]),
  )

const followNext = async (from: string): Promise<{ seen: Body[]; pages: number }> => {
  const seen: Body[] = []
  let pages = 0
  for (let path: string | undefined = from; path !== undefined; pages += 1) {
    assert.ok(pages < 100, 'following next does not end')
    const answer: Answer = await app()(`GET ${path}`)
    expectAnswer(answer, { status: 200 })
    seen.push(...content(answer))
    path = link(answer, 'next')
  }
  return { seen, pages }
}

test('a sort property repeated 100 times is accepted, and the next link still works', async () => {
  const request = `GET /todos?cursor=&size=2${'&sort=finished,desc&sort=finished'.repeat(50)}`
  const first = await app()(request)
  expectAnswer(first, { status: 200 })
  const next = String((body(first).links as { href: string }[])[0]?.href)
  const again = await app()(`GET ${next.slice(next.indexOf('/todos'))}`)
  expectAnswer(again, { status: 200, shows: { numberOfElements: 2 } })
})

test('an empty list is an empty array', async () => {
  for (const path of ['/todos', '/members']) {
    const answer = await empty()(`GET ${path}`)
    expectAnswer(answer, { status: 200 })
    assert.deepEqual(answer.body, [])
  }
})

for (const query of [
  'page=0',
  'size=20',
  'sort=createdAt',
  'page=0&size=20',
  'page=0&size=20&sort=createdAt,asc',
]) {
  test(`the first page of 20 is returned for ${query}`, async () => {
    const answer = await app()(`GET /todos?${query}`)
    expectAnswer(answer, {
      status: 200,
      shows: {
        totalElements: total,
        totalPages: 3,
        size: 20,
        number: 0,
        numberOfElements: 20,
        first: true,
        last: false,
      },
      answers: { 'x-total-count': String(total) },
    })
    assert.deepEqual(content(answer), todos.slice(0, 20))
  })
}

test('a page has exactly the fields of its envelope, including the sort order', async () => {
  const answer = await app()('GET /todos?page=1&size=10&sort=todoTitle,desc')
  assert.deepEqual(Object.keys(body(answer)).sort(), [
    'content',
    'first',
    'last',
    'links',
    'number',
    'numberOfElements',
    'size',
    'sort',
    'totalElements',
    'totalPages',
  ])
  const sort = body(answer).sort
  assert.ok(Array.isArray(sort) && sort.length === 1 && isObject(sort[0]))
  assert.deepEqual(Object.keys(sort[0]).sort(), ['direction', 'property'])
  assert.equal(sort[0].property, 'todoTitle')
  assert.match(String(sort[0].direction), /^desc$/i)
})

test('the last page holds the remaining todos and is marked as last', async () => {
  expectAnswer(await app()('GET /todos?page=2&size=20'), {
    status: 200,
    shows: { number: 2, numberOfElements: 5, first: false, last: true, totalPages: 3 },
  })
})

test('a page past the end is empty and still reports the totals', async () => {
  expectAnswer(await app()('GET /todos?page=99&size=20'), {
    status: 200,
    shows: { content: [], number: 99, numberOfElements: 0, totalElements: total, totalPages: 3 },
  })
})

const relations: readonly (readonly [string, readonly string[]])[] = [
  ['page=0&size=20', ['first', 'last', 'next']],
  ['page=1&size=20', ['first', 'last', 'next', 'prev']],
  ['page=2&size=20', ['first', 'last', 'prev']],
]
for (const [query, expected] of relations) {
  test(`the links of ${query} are ${expected.join(', ')}, in the body and in the Link header`, async () => {
    const answer = await app()(`GET /todos?${query}`)
    const inBody = expected.map((rel) => [rel, `${app().url}/api/v1${link(answer, rel)}`])
    for (const rel of ['prev', 'next']) {
      if (!expected.includes(rel)) assert.equal(link(answer, rel), undefined, rel)
    }
    assert.deepEqual(linkHeader(answer), Object.fromEntries(inBody))
  })
}

for (const query of ['size=7', 'size=45', 'size=10&sort=todoTitle,desc', 'size=4&finished=true']) {
  for (const start of ['page=0', 'cursor=']) {
    test(`following next from ${start}&${query} shows every item once, in order`, async () => {
      const { seen } = await followNext(`/todos?${start}&${query}`)
      const expected = todos.filter((row) => !query.includes('finished') || row.finished === true)
      if (query.includes('sort'))
        expected.sort((a, b) => (String(a.todoTitle) < String(b.todoTitle) ? 1 : -1))
      assert.deepEqual(ids(seen), ids(expected))
    })
  }
}

test('the first, last and prev links lead to those pages', async () => {
  const middle = await app()('GET /todos?page=1&size=20&sort=todoTitle')
  expectAnswer(await app()(`GET ${link(middle, 'first')}`), {
    status: 200,
    shows: { number: 0, first: true },
  })
  expectAnswer(await app()(`GET ${link(middle, 'last')}`), { status: 200, shows: { number: 2, last: true } })
  expectAnswer(await app()(`GET ${link(middle, 'prev')}`), { status: 200, shows: { number: 0 } })
})

test('a size above the maximum is reduced to it, and the envelope shows the actual size', async () => {
  expectAnswer(await app()('GET /todos?size=1000'), {
    status: 200,
    shows: { size: 100, numberOfElements: total },
  })
})

test('each further sort property breaks the ties of the previous one', async () => {
  const answer = await app()('GET /todos?sort=finished,desc&sort=todoTitle&size=100')
  const expected = [...todos].sort(
    (a, b) => Number(b.finished) - Number(a.finished) || (String(a.todoTitle) < String(b.todoTitle) ? -1 : 1),
  )
  assert.deepEqual(ids(content(answer)), ids(expected))
})

test('remaining ties are broken by id', async () => {
  const answer = await app()('GET /todos?sort=finished&size=100')
  const expected = [...todos].sort(
    (a, b) => Number(a.finished) - Number(b.finished) || (String(a.todoId) < String(b.todoId) ? -1 : 1),
  )
  assert.deepEqual(ids(content(answer)), ids(expected))
})

for (const finished of [true, false]) {
  test(`finished=${finished} lists only matching todos, as an array and as a page`, async () => {
    const expected = todos.filter((row) => row.finished === finished)
    assert.deepEqual(rows(await app()(`GET /todos?finished=${finished}`)), expected)
    const paged = await app()(`GET /todos?finished=${finished}&size=100`)
    expectAnswer(paged, { status: 200, shows: { totalElements: expected.length } })
    assert.deepEqual(content(paged), expected)
  })
}

test('unknown query parameters are ignored, even those that cannot be decoded', async () => {
  for (const query of ['colour=red&_=1&todoTitle=t01', 'colour=%ff', '%ff=1', '_=%zz&%', 'view=reduced']) {
    const answer = await app()(`GET /todos?${query}`)
    assert.deepEqual(rows(answer), todos, query)
  }
  expectAnswer(await app()('GET /todos?page=0&_=%ff'), { status: 200 })
})

test('links repeat the known parameters of a query and no others', async () => {
  for (const start of ['page=0', 'cursor=']) {
    const answer = await app()(`GET /todos?${start}&size=20&finished=false&sort=todoTitle&token=secret&_=%ff`)
    const next = new URL(String(link(answer, 'next')), 'http://localhost')
    const names = [...next.searchParams.keys()].sort()
    assert.deepEqual(names, [start.split('=')[0], 'finished', 'size', 'sort'].sort())
    assert.doesNotMatch(String(answer.headers.link), /token|secret/)
  }
})

test('operations without the parameters view and links ignore them, but DELETE refuses them', async () => {
  const todo = await createTodo(changing())
  expectAnswer(await changing()('POST /todos?view=x', { todoTitle: 'a' }), { status: 201 })
  expectAnswer(await changing()(`PUT /todos/${todo}?view=detailed`), { status: 200 })
  expectAnswer(await changing()(`DELETE /todos/${todo}?view=foo&links=yes`), { status: 400 })
  expectAnswer(await changing()(`DELETE /todos/${todo}`), { status: 204 })
})

test('a cursor page has exactly content, size, numberOfElements and links', async () => {
  const answer = await app()('GET /todos?cursor=&size=10')
  expectAnswer(answer, { status: 200, shows: { size: 10, numberOfElements: 10 } })
  assert.deepEqual(Object.keys(body(answer)).sort(), ['content', 'links', 'numberOfElements', 'size'])
  assert.deepEqual(content(answer), todos.slice(0, 10))
})

test('a cursor continues where it left off despite deletions and insertions', async () => {
  const created: string[] = []
  for (let i = 0; i < 9; i += 1) created.push(await createTodo(changing(), `c${i}`))
  const first = await changing()('GET /todos?cursor=&size=3')
  await changing()(`DELETE /todos/${created[0]}`)
  await changing()(`DELETE /todos/${created[2]}`)
  await createTodo(changing(), 'late')
  const href =
    (body(first).links as { rel: string; href: string }[]).find((one) => one.rel === 'next')?.href ?? ''
  const second = await changing()(`GET ${href.slice(`${changing().url}/api/v1`.length)}`)
  assert.deepEqual(ids(content(second)), created.slice(3, 6))
})

/** The cursor of the second page, percent-encoded. */
const secondPageCursor = async (query: string): Promise<string> => {
  const next = link(await app()(`GET /todos?cursor=&${query}`), 'next')
  assert.ok(next !== undefined)
  return encodeURIComponent(new URL(`http://x${next}`).searchParams.get('cursor') ?? '')
}

const parameters = {
  status: 400,
  code: '7002',
  message: 'Validation error occurred on item in the request parameters.',
}

test('a cursor is accepted only with the filter and the sort that it was issued for', async () => {
  const cursor = await secondPageCursor('size=5&finished=false&sort=todoTitle')
  const same = await app()(`GET /todos?cursor=${cursor}&size=5&finished=false&sort=todoTitle`)
  expectAnswer(same, { status: 200 })
  for (const other of [
    'finished=true&sort=todoTitle',
    'sort=todoTitle',
    'finished=false&sort=todoTitle,desc',
    'finished=false',
  ]) {
    const answer = await app()(`GET /todos?cursor=${cursor}&size=5&${other}`)
    expectAnswer(answer, { ...parameters, targets: ['cursor'] })
  }
})

test('a cursor of todos is refused by the list of members', async () => {
  const cursor = await secondPageCursor('size=5')
  expectAnswer(await app()(`GET /members?cursor=${cursor}&size=5`), { ...parameters, targets: ['cursor'] })
})

test('an altered cursor is refused, even if it decodes to the same bytes', async () => {
  const cursor = decodeURIComponent(await secondPageCursor('size=5'))
  const respelled = cursor.slice(0, -1) + nextLetter(cursor.at(-1))
  const changes = [0, Math.floor(cursor.length / 2), cursor.length - 2].map(
    (at) => `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
  )
  for (const changed of [...changes, respelled, `${cursor}=`]) {
    const answer = await app()(`GET /todos?cursor=${encodeURIComponent(changed)}&size=5`)
    expectAnswer(answer, { ...parameters, targets: ['cursor'] })
  }
})

/** In the last position, this letter differs only in bits that base64url does not use. */
const nextLetter = (letter = '') => String.fromCharCode(letter.charCodeAt(0) + 1)

test('cursor together with page is refused', async () => {
  for (const query of ['cursor=&page=0', `cursor=${await secondPageCursor('size=5')}&page=1&size=5`]) {
    expectAnswer(await app()(`GET /todos?${query}`), {
      ...parameters,
      says: ['"cursor" must not be given together with "page".'],
    })
  }
})

const refused = (query: string, promised: Omit<Row, 'name' | 'request'>): Row => ({
  name: `/todos?${query} is refused`,
  request: `GET /todos?${query}`,
  ...promised,
})
const mismatch = (target: string) => ({
  status: 400,
  code: '7006',
  message: 'Type mismatch error occurred in request parameter, header or path variable.',
  details: [`${target} TypeMismatch`],
})

table(app, [
  refused('page=abc', mismatch('page')),
  refused('page=1.5', mismatch('page')),
  refused('page=%ff', { ...mismatch('page'), says: ['"page" must be of type integer.'] }),
  refused('page=1&page=%ff', { ...mismatch('page'), says: ['"page" must be of type integer.'] }),
  refused('links=%ff', { ...mismatch('links'), says: ['"links" must be of type boolean.'] }),
  refused('cursor=%ff', { ...mismatch('cursor'), says: ['"cursor" must be of type string.'] }),
  refused('size=many', mismatch('size')),
  refused('createdFrom=yesterday', mismatch('createdFrom')),
  refused('page=-1', { ...parameters, details: ['page Min'] }),
  refused('size=0', { ...parameters, details: ['size Min'] }),
  refused('sort=colour', { ...parameters, details: ['sort Pattern'] }),
  refused('page=1&page=2', { ...parameters, targets: ['page'] }),
  refused('cursor=nonsense', { ...parameters, targets: ['cursor'] }),
  refused('page=-1&size=0', { ...parameters, details: ['page Min', 'size Min'] }),
  refused('finished=maybe', mismatch('finished')),
])

test('the message about a refused parameter states the valid values', async () => {
  const time =
    'must be a date (yyyy-MM-dd) or a time with milliseconds and an offset (yyyy-MM-ddTHH:mm:ss.SSS+hh:mm or Z).'
  const orders = 'todoId, todoTitle, finished, createdAt, optionally followed by ",asc" or ",desc".'
  for (const [query, message] of [
    ['todos?sort=foo', `"sort" must be one of ${orders}`],
    ['todos?sort=todoId,up', `"sort" must be one of ${orders}`],
    ['members?view=foo', '"view" must be one of full, reduced, detailed.'],
    ['todos?page=1000000000000000', '"page" must be less than or equal to 999999999999999.'],
    ['todos?cursor=foo', '"cursor" must be empty or the cursor from the link "next" of the same list.'],
    ['todos?createdFrom=2026-11-21T00:00:00Z', `"createdFrom" ${time}`],
    ['members?createdTo=2026-13-01', `"createdTo" ${time}`],
  ]) {
    const { details = [] } = body(await app()(`GET /${query}`)) as { details?: { message: string }[] }
    assert.deepEqual(
      details.map((detail) => detail.message),
      [message],
    )
  }
})

test('a `page` of 16 or more digits is refused, and a `size` of as many is capped', async () => {
  for (const number of ['1000000000000000', '9007199254740993', '99999999999999999999', '9'.repeat(400)]) {
    expectAnswer(await app()(`GET /todos?page=${number}`), { ...parameters, details: ['page Pattern'] })
    expectAnswer(await app()(`GET /todos?page=-${number}`), { ...parameters, details: ['page Min'] })
    expectAnswer(await app()(`GET /todos?size=${number}`), { status: 200, shows: { size: 100 } })
    expectAnswer(await app()(`GET /todos?cursor=&size=${number}`), { status: 200, shows: { size: 100 } })
    expectAnswer(await app()(`GET /todos?size=-${number}`), { ...parameters, details: ['size Min'] })
  }
})

test('createdFrom (inclusive) and createdTo (exclusive) accept every specified form of a time', async () => {
  const middle = Date.parse(String(todos[20]?.createdAt))
  const expected = todos.filter((row) => Date.parse(String(row.createdAt)) >= middle)
  const utc = new Date(middle).toISOString()
  const tokyo = new Date(middle + 9 * 3_600_000).toISOString().slice(0, -1)
  for (const shape of [utc, `${tokyo}+09:00`, `${tokyo}+0900`]) {
    const time = encodeURIComponent(shape)
    const from = rows(await app()(`GET /todos?createdFrom=${time}`))
    const to = rows(await app()(`GET /todos?createdTo=${time}`))
    assert.deepEqual(ids(from), ids(expected), shape)
    assert.deepEqual(ids(to), ids(todos.slice(0, total - expected.length)), shape)
  }
})

test('a list of values may be sent as `sort[]`, as many clients write it', async () => {
  for (const name of ['sort[]', 'sort%5B%5D'])
    expectAnswer(await app()(`GET /todos?${name}=colour`), { ...parameters, details: ['sort Pattern'] })
  const [one, other] = [
    await app()('GET /todos?sort[]=todoTitle,desc&sort[]=createdAt'),
    await app()('GET /todos?sort=todoTitle,desc&sort=createdAt'),
  ]
  assert.deepEqual(one.body, other.body)
})
