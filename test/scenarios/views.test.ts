import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember, createTodo } from './creating.ts'
import { type Body, body, content, expectAnswer, header, prepare, rows, service, table } from './table.ts'
import { readXml } from './xml.ts'

const app = service()
const members: Body[] = []
prepare(async () => {
  for (let i = 0; i < 3; i += 1)
    members.push(await createMember(app(), { firstName: `n${i}`, address: null }))
})

const reduced = ['memberId', 'firstName', 'lastName']
const detailed = [
  ...reduced,
  'genderCode',
  'dateOfBirth',
  'emailAddress',
  'telephoneNumber',
  'zipCode',
  'address',
  'createdAt',
  'lastModifiedAt',
]
const pick = (member: Body, names: readonly string[]): Body =>
  Object.fromEntries(names.map((name) => [name, member[name]]))

for (const [view, names] of [
  ['reduced', reduced],
  ['detailed', detailed],
] as const) {
  test(`the ${view} view of a member has exactly its fields`, async () => {
    const first = members[0] ?? {}
    const answer = await app()(`GET /members/${first.memberId}?view=${view}`)
    expectAnswer(answer, { status: 200 })
    assert.deepEqual(answer.body, pick(first, names))
  })

  test(`the ${view} view applies to lists, pages and cursors`, async () => {
    const expected = members.map((member) => pick(member, names))
    assert.deepEqual(rows(await app()(`GET /members?view=${view}`)), expected)
    assert.deepEqual(content(await app()(`GET /members?view=${view}&page=0`)), expected)
    assert.deepEqual(content(await app()(`GET /members?view=${view}&cursor=&size=10`)), expected)
  })
}

const some = ['memberId', 'lastName', 'createdAt']

test('the parameter fields limits items, lists, pages and XML to the named fields and the id, in any order', async () => {
  const expected = members.map((member) => pick(member, some))
  const path = `/members/${members[0]?.memberId}`
  assert.deepEqual((await app()(`GET ${path}?fields=createdAt,lastName`)).body, expected[0])
  assert.deepEqual(rows(await app()('GET /members?fields=lastName,createdAt')), expected)
  assert.deepEqual(content(await app()('GET /members?fields=lastName,createdAt&page=0')), expected)
  assert.deepEqual(content(await app()('GET /members?fields=lastName,createdAt&cursor=&size=10')), expected)
  const { children } = readXml((await app()(`GET ${path}.xml?fields=lastName,createdAt,memberId`)).text)
  assert.deepEqual(
    children.map((child) => child.name),
    some,
  )
  const linked = body(await app()(`GET ${path}?fields=credential&links=true`))
  assert.deepEqual(Object.keys(linked), ['memberId', 'credential', 'links'])
  const todo = await createTodo(app())
  assert.deepEqual((await app()(`GET /todos/${todo}?fields=finished`)).body, {
    todoId: todo,
    finished: false,
  })
})

test('each choice of fields has its own ETag, which a change accepts as the version', async () => {
  const path = `/members/${members[0]?.memberId}`
  const tagOf = async (query: string) => header(await app()(`GET ${path}${query}`), 'etag')
  const queries = [
    '',
    '?view=reduced',
    '?fields=lastName',
    '?fields=firstName',
    '?fields=firstName,lastName',
    '?view=reduced&fields=lastName',
  ]
  const tags = await Promise.all(queries.map(tagOf))
  assert.equal(new Set(tags).size, queries.length)
  assert.equal(await tagOf('?fields=lastName,lastName,memberId'), tags[2])
  for (const [at, query] of queries.entries())
    for (const [other, tag] of tags.entries()) {
      const { status } = await app()(`GET ${path}${query}`, undefined, { 'if-none-match': String(tag) })
      assert.equal(status, at === other ? 304 : 200, `${query} ${tag}`)
    }
  const changed = await app()(
    `PATCH ${path}`,
    { address: null },
    { 'if-match': String(tags[2]), 'content-type': 'application/merge-patch+json' },
  )
  expectAnswer(changed, { status: 200 })
})

table(app, [
  {
    name: 'an unknown field is refused',
    request: 'GET /members?fields=lastName,password',
    status: 400,
    code: '7002',
    details: ['fields Pattern'],
  },
  {
    name: 'a field that the view lacks is refused',
    request: 'GET /members?view=reduced&fields=address',
    status: 400,
    code: '7002',
    details: ['fields Pattern'],
  },
  {
    name: 'an empty list of fields is refused',
    request: 'GET /todos?fields=',
    status: 400,
    code: '7002',
    details: ['fields NotEmpty'],
  },
])

test('the reduced view can be filtered, and sorted by a field that it does not show', async () => {
  const answer = await app()('GET /members?view=reduced&name=n1&sort=dateOfBirth')
  assert.deepEqual(content(answer), [pick(members[1] ?? {}, reduced)])
})

table(app, [
  { name: 'an unknown view of members is refused', request: 'GET /members?view=secret', status: 400 },
  {
    name: 'a view given twice is refused',
    request: 'GET /members?view=reduced&view=detailed',
    status: 400,
    code: '7002',
    targets: ['view'],
  },
])

test('links=true adds links to a member and to a todo, and links=false does not', async () => {
  const todo = await createTodo(app())
  const resources = [
    ['members', members[0]?.memberId],
    ['todos', todo],
  ]
  for (const [collection, id] of resources) {
    const plain = await app()(`GET /${collection}/${id}`)
    const linked = await app()(`GET /${collection}/${id}?links=true`)
    expectAnswer(linked, { status: 200 })
    const base = `${app().url}/api/v1/${collection}`
    const { links, ...rest } = body(linked)
    assert.deepEqual(rest, plain.body)
    assert.deepEqual(
      [...(links as { rel: string }[])].sort((a, b) => (a.rel < b.rel ? 1 : -1)),
      [
        { rel: 'self', href: `${base}/${id}` },
        { rel: 'collection', href: base },
      ],
    )
    assert.ok(!('links' in body(plain)))
    assert.ok(!('links' in body(await app()(`GET /${collection}/${id}?links=false`))))
  }
})
