import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, rawExchange } from '../harness.ts'
import { person, profile } from './people.ts'
import { body, expectAnswer, field, mergePatch, prepare, rows, service, unknownId } from './table.ts'
import { wire } from './wire.ts'

const app = service({ ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' })
const basic = (signId: string, password = 'some password'): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${signId}:${password}`).toString('base64')}`,
})
const admin = basic('admin', 'admin password')
const ids: Record<string, string> = {}
const create = async (signId: string): Promise<string> => {
  const sent = person({ credential: { signId, password: 'some password' } })
  return field(await app()('POST /members', sent, admin), 'memberId')
}
prepare(async () => {
  for (const signId of ['Ann', 'Bob']) ids[signId] = await create(signId)
  ids.todo = field(await app()('POST /todos', { todoTitle: 'shared' }, admin), 'todoId')
})

interface Operation {
  readonly line: () => string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** The status for the administrator. 0: not tested. */
  readonly admin: number
  /** The status for Ann, a member. */
  readonly member: number
}
const operations: Operation[] = [
  { line: () => 'GET /todos', admin: 200, member: 200 },
  { line: () => 'POST /todos', body: { todoTitle: 'a' }, admin: 201, member: 201 },
  { line: () => `GET /todos/${ids.todo}`, admin: 200, member: 200 },
  { line: () => `PUT /todos/${ids.todo}`, admin: 200, member: 200 },
  {
    line: () => `PATCH /todos/${ids.todo}`,
    body: { finished: false },
    headers: mergePatch,
    admin: 200,
    member: 200,
  },
  { line: () => 'GET /members?view=reduced', admin: 200, member: 200 },
  { line: () => 'POST /members', body: person(), admin: 201, member: 403 },
  { line: () => `GET /members/${ids.Ann}`, admin: 200, member: 200 },
  { line: () => `GET /members/${ids.Bob}`, admin: 200, member: 200 },
  { line: () => `PUT /members/${ids.Ann}`, body: profile(), admin: 200, member: 200 },
  { line: () => `PUT /members/${ids.Bob}`, body: profile(), admin: 200, member: 403 },
  {
    line: () => `PATCH /members/${ids.Ann}`,
    body: { zipCode: '1' },
    headers: mergePatch,
    admin: 200,
    member: 200,
  },
  {
    line: () => `PATCH /members/${ids.Bob}`,
    body: { zipCode: '1' },
    headers: mergePatch,
    admin: 200,
    member: 403,
  },
  { line: () => `DELETE /members/${ids.Bob}.json`, admin: 0, member: 403 },
]

for (const { line, body: sent, headers = {}, ...allowed } of operations) {
  const name = String(line).replace('() => ', '')
  const request = (credentials: Record<string, string>): Promise<Answer> =>
    app()(line(), sent, { ...headers, ...credentials })

  test(`${name} without credentials is answered with 401`, async () => {
    expectAnswer(await request({}), {
      status: 401,
      code: '4001',
      answers: { 'www-authenticate': 'Basic realm="rollcall", charset="UTF-8"' },
    })
  })

  test(`${name} as a member is answered with ${allowed.member}`, async () => {
    const answer = await request(basic('Ann'))
    expectAnswer(answer, { status: allowed.member, ...(allowed.member === 403 ? { code: '4003' } : {}) })
  })

  if (allowed.admin === 0) continue
  test(`${name} as the administrator is answered with ${allowed.admin}`, async () => {
    expectAnswer(await request(admin), { status: allowed.admin })
  })
}

const reduced = ['firstName', 'lastName', 'memberId']

test('a member sees itself in full, and others reduced whatever the view parameter', async () => {
  const self = await app()(`GET /members/${ids.Ann}`, undefined, basic('Ann'))
  assert.ok('emailAddress' in body(self) && 'credential' in body(self))
  for (const query of ['', '?view=detailed', '?view=reduced']) {
    const other = await app()(`GET /members/${ids.Bob}${query}`, undefined, basic('Ann'))
    assert.equal(other.status, 200, query)
    assert.deepEqual(Object.keys(body(other)).sort(), reduced, query)
  }
})

const linksOf = (self: string) => [
  { rel: 'self', href: self },
  { rel: 'collection', href: `${app().url}/api/v1/members` },
]

test('a member reads itself as `me`, with its own address in Content-Location', async () => {
  const self = await app()('GET /members/me?links=true', undefined, basic('Ann'))
  const url = `${app().url}/api/v1/members/${ids.Ann}`
  expectAnswer(self, {
    status: 200,
    shows: {
      memberId: ids.Ann,
      links: linksOf(url),
    },
    answers: { 'content-location': `${url}?links=true` },
  })
  assert.ok('credential' in body(self))
  const byId = await app()(`GET /members/${ids.Ann}`, undefined, basic('Ann'))
  expectAnswer(byId, { status: 200, answers: { 'content-location': false } })
  const unlessCurrent = { ...basic('Ann'), 'if-none-match': self.headers.etag ?? '' }
  expectAnswer(await app()('GET /members/me.json?links=true', undefined, unlessCurrent), {
    status: 304,
    answers: { 'content-location': `${url}.json?links=true` },
  })
  assert.match((await app()('GET /members/me.xml', undefined, basic('Ann'))).text, new RegExp(`>${ids.Ann}<`))
})

test('the ETag of /members/me gives another member no 304, and matches under the id', async () => {
  const twin = await create('Twin')
  await create('Other')
  const { headers } = await app()('GET /members/me', undefined, basic('Twin'))
  const tag = headers.etag ?? ''
  expectAnswer(await app()('GET /members/me', undefined, { ...basic('Other'), 'if-none-match': tag }), {
    status: 200,
  })
  const changed = await app()(
    `PATCH /members/${twin}`,
    { zipCode: '2' },
    { ...mergePatch, ...basic('Twin'), 'if-match': tag },
  )
  expectAnswer(changed, { status: 200 })
})

test('If-Match on /members/me with the ETag of another member is answered with 412', async () => {
  await create('Alike')
  await create('Unlike')
  const { headers } = await app()('GET /members/me', undefined, basic('Alike'))
  const condition = { ...basic('Unlike'), 'if-match': headers.etag ?? '' }
  const refused = { status: 412, code: '8003' }
  expectAnswer(await app()('GET /members/me', undefined, condition), refused)
  const patch = { ...mergePatch, ...condition }
  expectAnswer(await app()('PATCH /members/me', { zipCode: '2' }, patch), refused)
})

test('PATCH, PUT, PUT of the credential and DELETE of /members/me act on the member itself', async () => {
  const id = await create('Selfish')
  const credentials = basic('Selfish')
  const shows = { memberId: id, address: 'Nara' }
  expectAnswer(await app()('PATCH /members/me', { address: 'Nara' }, { ...mergePatch, ...credentials }), {
    status: 200,
    shows,
  })
  expectAnswer(await app()('PUT /members/me', profile({ address: 'Kobe' }), credentials), {
    status: 200,
    shows: { memberId: id, address: 'Kobe' },
  })
  const change = { password: 'another password', currentPassword: 'some password' }
  const changed = await app()('PUT /members/me/credential?links=true', change, credentials)
  const url = `${app().url}/api/v1/members/${id}`
  expectAnswer(changed, { status: 200, shows: { memberId: id, links: linksOf(url) } })
  expectAnswer(await app()('DELETE /members/me', undefined, basic('Selfish', 'another password')), {
    status: 204,
  })
  expectAnswer(await app()(`GET /members/${id}`, undefined, admin), { status: 404, code: 'e.xx.yy.5001' })
})

test('`me` is 404 for the administrator, in upper case and under /todos, and 401 without credentials', async () => {
  const lines: [string, unknown?, Record<string, string>?][] = [
    ['GET /members/me'],
    ['PUT /members/me', profile()],
    ['PATCH /members/me', { zipCode: '1' }, mergePatch],
    ['DELETE /members/me'],
    ['PUT /members/me/credential', { password: 'another password' }],
  ]
  for (const [line, sent, headers] of lines) {
    const answer = await app()(line, sent, { ...headers, ...admin })
    expectAnswer(answer, {
      status: 404,
      code: 'e.xx.yy.5001',
      message: 'Specified member not found. member id : me',
    })
    expectAnswer(await app()(line, sent, headers), { status: 401, code: '4001' })
  }
  expectAnswer(await app()('GET /members/ME', undefined, basic('Ann')), { status: 404, code: 'e.xx.yy.5001' })
  expectAnswer(await app()('GET /todos/me', undefined, basic('Ann')), { status: 404, code: '5001' })
})

test('lists of members show a member no more than the reduced view', async () => {
  for (const query of ['', '?view=detailed', '?view=reduced', '?name=John']) {
    const answer = await app()(`GET /members${query}`, undefined, basic('Ann'))
    assert.notEqual(rows(answer).length, 0, query)
    for (const row of rows(answer)) assert.deepEqual(Object.keys(row).sort(), reduced, query)
  }
  for (const query of ['.xml', '?page=0']) {
    const { text } = await app()(`GET /members${query}`, undefined, basic('Ann'))
    assert.match(text, /Smith/, query)
    assert.doesNotMatch(text, /emailAddress/, query)
  }
})

test('an invalid PUT of another member is answered with 403 and reveals no email address', async () => {
  const answer = await app()(`PUT /members/${ids.Bob}`, profile({ firstName: '' }), basic('Ann'))
  expectAnswer(answer, { status: 403, code: '4003' })
  assert.ok(!answer.text.includes('example.com'))
})

test('the administrator sees every member in full', async () => {
  const seen = rows(await app()('GET /members', undefined, admin))
  for (const id of [ids.Ann, ids.Bob]) assert.ok(seen.some(({ memberId }) => memberId === id))
  for (const row of seen) assert.ok('emailAddress' in row && 'credential' in row)
})

test('a sign id is matched ignoring case and width, a password case-sensitively', async () => {
  expectAnswer(await app()('GET /todos', undefined, basic('ＡＮＮ')), { status: 200 })
  expectAnswer(await app()('GET /todos', undefined, basic('Ann', 'Some password')), {
    status: 401,
    code: '4001',
  })
})

const rejected: string[] = [
  'Basic',
  'Basic ',
  'Basic !!!',
  'Basic OnA=',
  `Basic ${Buffer.from('Ann').toString('base64')}`,
  `Basic ${Buffer.from('Ann:').toString('base64')}`,
  `Basic ${Buffer.from(':some password').toString('base64')}`,
  `Basic ${Buffer.from('Ann:some password ').toString('base64')}`,
  `Basic ${Buffer.from(' Ann:some password').toString('base64')}`,
  `Basic ${Buffer.from('Ann:some password\0').toString('base64')}`,
  `Basic ${Buffer.from("' OR 1=1 --:some password").toString('base64')}`,
  'Bearer abc.def.ghi',
  'Digest username="Ann"',
  'Ann:some password',
]
for (const authorization of rejected) {
  test(`Authorization '${authorization}' is answered with 401`, async () => {
    expectAnswer(await app()('GET /todos', undefined, { authorization }), { status: 401, code: '4001' })
  })
}

test('HEAD without credentials is answered with 401 and WWW-Authenticate, without a body', async () => {
  const answer = await wire(app().url, { method: 'HEAD', path: '/api/v1/members' })
  assert.equal(answer.status, 401)
  assert.equal(answer.bytes.length, 0)
  assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
})

test('without credentials, existing and unknown todos alike are answered with 401', async () => {
  for (const id of [ids.todo, unknownId]) {
    expectAnswer(await app()(`GET /todos/${id}`), { status: 401, code: '4001' })
  }
})

test('a refused POST or DELETE leaves all members as they were', async () => {
  const members = async () => rows(await app()('GET /members', undefined, admin))
  const before = await members()
  for (const [call, sent] of [
    ['POST /members', person()],
    [`DELETE /members/${ids.Bob}`, undefined],
  ] as const) {
    expectAnswer(await app()(call, sent, basic('Ann')), { status: 403, code: '4003' })
    expectAnswer(await app()(call, sent), { status: 401, code: '4001' })
  }
  assert.deepEqual(await members(), before)
})

test('the management listener requires the same credentials for the API', async () => {
  const answer = await wire(app().management, { path: '/api/v1/members' })
  assert.equal(answer.status, 401)
  const authenticated = await wire(app().management, {
    path: '/api/v1/members?view=reduced',
    headers: basic('Ann'),
  })
  assert.equal(authenticated.status, 200)
})

test('an authenticated connection starts no session', async () => {
  const request = (...fields: string[]) =>
    ['GET /api/v1/todos HTTP/1.1', 'Host: localhost', ...fields, '', ''].join('\r\n')
  const { authorization } = admin
  const bytes = request(`Authorization: ${authorization}`) + request('Connection: close')
  const received = await rawExchange(app().url, bytes)
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401'])
  assert.doesNotMatch(received, /^Set-Cookie/im)
})

test('a member can delete itself, and its credentials are then answered with 401', async () => {
  const id = await create('Leaver')
  expectAnswer(await app()(`DELETE /members/${id}`, undefined, basic('Leaver')), { status: 204 })
  expectAnswer(await app()('GET /todos', undefined, basic('Leaver')), { status: 401, code: '4001' })
})

test('after a change of sign id only the new one is accepted', async () => {
  const id = await create('Before')
  expectAnswer(await app()('GET /todos', undefined, basic('Before')), { status: 200 })
  const sent = { signId: 'After', password: 'some password' }
  expectAnswer(await app()(`PUT /members/${id}/credential`, sent, admin), { status: 200 })
  expectAnswer(await app()('GET /todos', undefined, basic('Before')), { status: 401, code: '4001' })
  expectAnswer(await app()('GET /todos', undefined, basic('After')), { status: 200 })
})

test('guessing a password ends in 429 with Retry-After, and locks nobody else out', async () => {
  await create('Guessed')
  const statuses: number[] = []
  let last: Answer | undefined
  for (let i = 0; i < 12; i += 1) {
    last = await app()('GET /todos', undefined, basic('Guessed', `guess number ${i}`))
    statuses.push(last.status)
  }
  assert.deepEqual(
    statuses.slice(0, 10),
    Array.from({ length: 10 }, () => 401),
  )
  assert.equal(last?.status, 429)
  assert.match(last?.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  expectAnswer(await app()('GET /todos', undefined, basic('Bob')), { status: 200 })
  expectAnswer(await app()('GET /todos', undefined, admin), { status: 200 })
})
