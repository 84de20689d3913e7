import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, rawExchange, startApp } from '../harness.ts'
import { profile } from '../people.ts'
import { createMember, createTodo, sharedMember } from './creating.ts'
import {
  body,
  expectAnswer,
  expectEverywhere,
  header,
  mergePatch,
  rows,
  service,
  unknownId,
} from './table.ts'

const app = service()
const shared = sharedMember(app)
const strong = /^"\d+-[^"]+"$/

const etag = (answer: Answer): string => header(answer, 'etag')
const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  app()(`GET ${path}`, undefined, headers)

const newTodo = async () => `/todos/${await createTodo(app())}`
const newMember = async () => `/members/${(await createMember(app())).memberId}`

type Send = (path: string, headers: Record<string, string>) => Promise<Answer>
const remove: Send = (path, headers) => app()(`DELETE ${path}`, undefined, headers)
const patch =
  (field: string): Send =>
  (path, headers) =>
    app()(`PATCH ${path}`, { [field]: `n${Math.random()}` }, { ...mergePatch, ...headers })

/** A change by each method, and how to create the item that it changes. */
const changes: readonly { readonly name: string; create(): Promise<string>; readonly change: Send }[] = [
  { name: 'PATCH of a todo', create: newTodo, change: patch('todoTitle') },
  {
    name: 'PUT of a member',
    create: newMember,
    change: (path, headers) => app()(`PUT ${path}`, profile(), headers),
  },
  { name: 'DELETE of a member', create: newMember, change: remove },
]

for (const { name, create, change } of changes) {
  test(`${name} succeeds if If-Match lists the current version, in any variant`, async () => {
    const path = await create()
    const variants = [etag(await get(path)), etag(await get(`${path}.xml`))]
    assert.equal(new Set(variants).size, 2, 'JSON and XML differ')
    const answer = await change(path, { 'if-match': `"other", ${variants[1]}` })
    assert.ok([200, 204].includes(answer.status), answer.text)
  })

  test(`${name} is refused with 412 and changes nothing if If-Match lists no strong tag of the current version`, async () => {
    const path = await create()
    const before = await get(path)
    for (const tag of ['"other"', '"0-json"', '"9999-json"', `W/${etag(before)}`, '"a", "b"']) {
      expectAnswer(await change(path, { 'if-match': tag }), { status: 412, code: '8003' })
    }
    const after = await get(path)
    assert.deepEqual(after.body, before.body)
    assert.equal(etag(after), etag(before))
  })

  test(`${name} is refused if If-None-Match is * or names the current version, and succeeds otherwise`, async () => {
    const path = await create()
    const tag = etag(await get(path))
    for (const unwanted of ['*', tag, `"other", W/${tag}`])
      expectAnswer(await change(path, { 'if-none-match': unwanted }), { status: 412, code: '8003' })
    const answer = await change(path, { 'if-none-match': '"other"' })
    assert.ok([200, 204].includes(answer.status), answer.text)
  })

  test(`${name} succeeds with If-Match: *`, async () => {
    const answer = await change(await create(), { 'if-match': '*' })
    assert.ok([200, 204].includes(answer.status), answer.text)
  })
}

for (const { name, create, change } of changes.filter((one) => !one.name.startsWith('DELETE'))) {
  test(`${name} gives a new ETag, and the old one in If-Match is refused with 412`, async () => {
    const path = await create()
    const old = etag(await get(path))
    const changed = await change(path, { 'if-match': old })
    assert.equal(changed.status, 200, changed.text)
    assert.match(etag(changed), strong)
    assert.notEqual(etag(changed), old)
    assert.equal(etag(await get(path)), etag(changed))
    expectAnswer(await change(path, { 'if-match': old }), { status: 412, code: '8003' })
    expectAnswer(await change(path, { 'if-match': etag(changed) }), { status: 200 })
  })
}

test('POST of a todo answers with the same strong ETag as GET', async () => {
  const todo = await app()('POST /todos', { todoTitle: 'tagged' })
  assert.match(etag(todo), strong)
  assert.equal(etag(await get(`/todos/${body(todo).todoId}`)), etag(todo))
})

test('the ETag in the answer to a PUT is the one to send with the next change', async () => {
  const path = await newMember()
  for (const fields of [{}, { prefer: 'return=minimal' }]) {
    const put = await app()(`PUT ${path}`, profile(), fields)
    const read = await get(path, { 'accept-encoding': 'identity' })
    assert.deepEqual([etag(put), header(put, 'last-modified')], [etag(read), header(read, 'last-modified')])
    assert.equal((await app()(`PUT ${path}`, profile(), { 'if-match': etag(put) })).status, 200)
  }
})

test('each variant of a member (as JSON or XML, by view, with links) has its own strong ETag, and all name the same version', async () => {
  const path = `/members/${(await shared()).member}`
  const variants = [
    path,
    `${path}.xml`,
    `${path}?view=reduced`,
    `${path}?view=detailed`,
    `${path}?links=true`,
    `${path}.xml?view=reduced`,
  ]
  const tags = await Promise.all(variants.map(async (variant) => etag(await get(variant))))
  for (const tag of tags) assert.match(tag, strong)
  assert.equal(new Set(tags).size, tags.length, tags.join(' '))
  assert.equal(new Set(tags.map((tag) => tag.split('-')[0])).size, 1, 'all of one version')
})

test('GET with the current ETag in If-None-Match is answered with 304 and no body', async () => {
  for (const path of [
    `/members/${(await shared()).member}`,
    `/todos/${await createTodo(app())}`,
    '/todos',
    '/members',
    '/todos?page=0',
    '/members?name=John',
  ]) {
    const first = await get(path)
    for (const tag of [etag(first), `"x", ${etag(first)}`, '*']) {
      const again = await get(path, { 'if-none-match': tag })
      assert.equal(again.status, 304, `${path} ${tag}`)
      assert.equal(again.text, '')
      expectEverywhere(again.headers)
      for (const name of ['etag', 'cache-control', 'vary'])
        assert.equal(again.headers[name], first.headers[name], `${path} ${name}`)
    }
    assert.equal((await get(path, { 'if-none-match': '"x"' })).status, 200)
  }
})

test('If-None-Match compares weakly', async () => {
  const path = await newTodo()
  assert.equal((await get(path, { 'if-none-match': `W/${etag(await get(path))}` })).status, 304)
  const list = etag(await get('/todos'))
  assert.equal((await get('/todos', { 'if-none-match': list.slice(2) })).status, 304)
})

test('a list has a weak ETag that changes with every create, update and delete', async () => {
  const id = await createTodo(app())
  const tags = [etag(await get('/todos'))]
  await createTodo(app())
  tags.push(etag(await get('/todos')))
  await app()(`PUT /todos/${id}`)
  tags.push(etag(await get('/todos')))
  await app()(`DELETE /todos/${id}`)
  tags.push(etag(await get('/todos')))
  for (const tag of tags) assert.match(tag, /^W\/"[^"]+"$/)
  assert.equal(new Set(tags).size, tags.length, tags.join(' '))
})

test('GET of a list is refused with 412 for any ETag in If-Match, and served for *', async () => {
  for (const path of ['/todos', '/members?page=0', '/todos?cursor=&size=1']) {
    for (const tag of [etag(await get(path)), '"x"', '"x", W/"y"'])
      expectAnswer(await get(path, { 'if-match': tag }), { status: 412, code: '8003' })
    assert.equal((await get(path, { 'if-match': '*' })).status, 200, path)
  }
})

test('Last-Modified is the time of the last change in whole seconds; an older or invalid If-Modified-Since gets 200', async () => {
  const path = `/members/${(await shared()).member}`
  const answer = await get(path)
  const stamp = header(answer, 'last-modified')
  assert.equal(new Date(stamp).toUTCString(), stamp, 'an IMF-fixdate')
  assert.equal(Date.parse(stamp), Math.floor(Date.parse(String(body(answer).lastModifiedAt)) / 1000) * 1000)
  assert.equal((await get(path, { 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' })).status, 200)
  assert.equal((await get(path, { 'if-modified-since': 'nonsense' })).status, 200)
})

/** One instant in the three forms that a recipient must read (RFC 9110, 5.6.7). */
const dateForms = (instant: number): string[] => {
  const imf = new Date(instant).toUTCString()
  const [, day = '', month = '', year = '', time = ''] =
    /^\w+, (\d\d) (\w+) (\d+) ([\d:]+) GMT$/.exec(imf) ?? []
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(instant)
  const asctime = `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`
  return [imf, `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`, asctime]
}

test('If-Modified-Since and If-Unmodified-Since accept all three date formats', async () => {
  const { memberId } = await createMember(app())
  const path = `/members/${memberId}`
  const changedAt = Date.parse(header(await get(path), 'last-modified'))
  for (const date of dateForms(changedAt)) {
    assert.equal((await get(path, { 'if-modified-since': date })).status, 304, date)
    assert.equal((await get(path, { 'if-unmodified-since': date })).status, 200, date)
  }
  for (const date of dateForms(changedAt - 1000)) {
    const stale = { 'if-unmodified-since': date }
    assert.equal((await get(path, { 'if-modified-since': date })).status, 200, date)
    expectAnswer(await get(path, stale), { status: 412, code: '8003' })
    expectAnswer(await app()(`PUT ${path}`, profile(), stale), { status: 412, code: '8003' })
    expectAnswer(await app()(`DELETE ${path}`, undefined, stale), { status: 412, code: '8003' })
  }
})

test('a condition with an impossible date, or with two dates, is ignored', async () => {
  const path = await newMember()
  const changed = header(await get(path), 'last-modified')
  for (const impossible of [
    'Mon, 31 Feb 2020 00:00:00 GMT',
    'Sat, 31 Nov 2020 00:00:00 GMT',
    'Tue, 01 Jan 2001 00:00:00 GMT',
  ])
    assert.equal((await get(path, { 'if-unmodified-since': impossible })).status, 200, impossible)
  const request = `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${`If-Modified-Since: ${changed}\r\n`.repeat(2)}\r\n`
  assert.match(await rawExchange(app().url, request), /^HTTP\/1\.1 200 /)
})

/** Dates that are ignored as conditions: a date for an item that has none, and a malformed date. */
const ignoredDates = {
  'a todo': { create: newTodo, change: patch('todoTitle') },
  'a member': { create: newMember, change: patch('address') },
}
for (const [name, { create, change }] of Object.entries(ignoredDates))
  test(`simultaneous patches of ${name} with an ignored If-Unmodified-Since are all applied`, async () => {
    const path = await create()
    const since = name === 'a todo' ? new Date().toUTCString() : 'nonsense'
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => change(path, { 'if-unmodified-since': since })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    )
  })

const postConditions = [
  { condition: 'If-Match: "1-j"', headers: { 'if-match': '"1-j"' }, status: 412 },
  { condition: 'If-None-Match: *', headers: { 'if-none-match': '*' }, status: 412 },
  { condition: 'If-Match: *', headers: { 'if-match': '*' }, status: 201 },
  { condition: 'If-None-Match: W/"1-j"', headers: { 'if-none-match': 'W/"1-j"' }, status: 201 },
] as const
for (const { condition, headers, status } of postConditions) {
  test(`POST with ${condition} is answered with ${status}`, async () => {
    assert.equal((await app()('POST /todos', { todoTitle: 'new' }, headers)).status, status)
  })
}

test('POST with the current list ETag in If-None-Match is refused with 412 and adds nothing', async () => {
  const list = await get('/todos')
  const unlessCurrent = { 'if-none-match': etag(list) }
  expectAnswer(await app()('POST /todos', { todoTitle: 'new' }, unlessCurrent), { status: 412, code: '8003' })
  assert.deepEqual(rows(await get('/todos')), rows(list))
})

test('If-Match takes precedence over If-Unmodified-Since', async () => {
  const path = await newMember()
  const headers = {
    'if-match': etag(await get(path)),
    'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT',
  }
  expectAnswer(await app()(`PUT ${path}`, profile(), headers), { status: 200 })
})

test('If-None-Match takes precedence over If-Modified-Since', async () => {
  const path = `/members/${(await shared()).member}`
  const answer = await get(path)
  const later = new Date(Date.parse(header(answer, 'last-modified')) + 1000).toUTCString()
  assert.equal((await get(path, { 'if-none-match': '"x"', 'if-modified-since': later })).status, 200)
})

test('members and lists have Cache-Control: private, no-cache', async () => {
  for (const path of ['/todos', '/members', `/members/${(await shared()).member}`]) {
    assert.equal(header(await get(path), 'cache-control'), 'private, no-cache')
  }
})

const unknownMember = { status: 404, code: 'e.xx.yy.5001' }

test('a change to an unknown item is answered with 404, even if the body or If-Match is wrong', async () => {
  const path = `/members/${unknownId}`
  for (const sent of ['{', '', '[]', {}, { firstName: 5 }, { ...profile(), credential: { signId: 'x' } }])
    for (const headers of [{}, { 'if-match': '"1-j"' }, { 'if-match': '*' }]) {
      expectAnswer(await app()(`PUT ${path}`, sent, headers), unknownMember)
      expectAnswer(await app()(`PUT ${path}/credential`, sent, headers), unknownMember)
      const patch = { ...mergePatch, ...headers }
      expectAnswer(await app()(`PATCH ${path}/credential`, sent, patch), unknownMember)
      expectAnswer(await app()(`PATCH ${path}`, sent, { ...mergePatch, ...headers }), unknownMember)
    }
  expectAnswer(await app()(`PATCH /todos/${unknownId}`, '{', mergePatch), { status: 404, code: '5001' })
})

test('concurrent read-modify-write cycles with If-Match lose no update', async () => {
  const path = `/todos/${await createTodo(app(), '0')}`
  const add = async (): Promise<void> => {
    for (;;) {
      const current = await get(path)
      const todoTitle = String(Number(body(current).todoTitle) + 1)
      const answer = await app()(`PATCH ${path}`, { todoTitle }, { ...mergePatch, 'if-match': etag(current) })
      if (answer.status === 200) return
      assert.ok([409, 412].includes(answer.status), answer.text)
    }
  }
  await Promise.all(Array.from({ length: 8 }, add))
  assert.equal(body(await get(path)).todoTitle, '8')
})

test('a malformed If-Match never lets a write through', async () => {
  const path = await newTodo()
  const tag = etag(await get(path))
  const nearMisses = [`w/${tag}`, `x${tag}`, `"nope"${tag}`, `'${tag}'`, `${tag} x`, `${tag};x`, `${tag}, "x`]
  for (const malformed of ['"x', 'x', 'W/', '"a" "b"', '"', ...nearMisses]) {
    const answer = await app()(`PUT ${path}`, undefined, { 'if-match': malformed })
    assert.ok([400, 412].includes(answer.status), `${malformed}: ${answer.status}`)
  }
  expectAnswer(await get(path), { status: 200, shows: { finished: false } })
})

test('an ETag in a form that is never issued is refused with 412, even for the current version', async () => {
  const path = await newTodo()
  const tag = etag(await get(path))
  for (const neverIssued of [
    '"1-"',
    '"1-nonsense"',
    '"1-j"',
    '"1-j.abc"',
    '"1-y.abcde"',
    tag.replace('.', '-'),
  ]) {
    expectAnswer(await app()(`PUT ${path}`, undefined, { 'if-match': neverIssued }), {
      status: 412,
      code: '8003',
    })
    expectAnswer(await get(path, { 'if-match': neverIssued }), { status: 412, code: '8003' })
  }
})

test('If-Match matches an ETag with any coding suffix, including those that a proxy adds', async () => {
  const path = await newTodo()
  const tag = etag(await get(path)).slice(0, -1)
  const ends = ['', '.br', '.gzip', '-gzip', '--gzip', '-zstd']
  for (const variant of [...ends.map((end) => `${tag}${end}"`), `${tag.replace('.j.', '.xl.')}"`])
    expectAnswer(await get(path, { 'if-match': variant }), { status: 200 })
})

test('If-Match matches an ETag of any edition and view, but not one without a digest of the content', async () => {
  const path = await newTodo()
  const tag = etag(await get(path))
  for (const variant of ['.jr.abcde"', '.xrl.abcde"', '.jdl.abcde"'])
    expectAnswer(await get(path, { 'if-match': tag.replace(/\.j\..*/, variant) }), { status: 200 })
  expectAnswer(await get(path, { 'if-match': '"1-j.abcde"' }), { status: 412, code: '8003' })
})

test('an ETag matches only under the settings with which it was issued', async (t) => {
  const DATABASE_URL = `sqlite:${freshFolder()}/a.db`
  let path = ''
  let tag = ''
  for (const [settings, status] of [
    [{}, 201],
    [{}, 304],
    [{ ACCESS: 'open', PUBLIC_URL: 'https://new.example' }, 200],
    [{ PAGE_SIZE_MAX: '7' }, 200],
    [{ TIME_ZONE: 'Asia/Tokyo' }, 200],
    [{}, 304],
  ] as const)
    await t.test(JSON.stringify(settings), async (started) => {
      const api = await startApp(started, { DATABASE_URL, ...settings })
      if (status === 201) {
        path = `/todos/${await createTodo(api)}?links=true`
        tag = etag(await api(`GET ${path}`))
      } else assert.equal((await api(`GET ${path}`, undefined, { 'if-none-match': tag })).status, status)
    })
})
