import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness.ts'
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
  /** The status for the administrator, for Ann about herself or anything, and for Ann about Bob. */
  readonly admin: number
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
  const ask = (who: Record<string, string>): Promise<Answer> => app()(line(), sent, { ...headers, ...who })

  test(`${name} is for nobody who is unknown`, async () => {
    expectAnswer(await ask({}), {
      status: 401,
      code: '4001',
      answers: { 'www-authenticate': 'Basic realm="rollcall", charset="UTF-8"' },
    })
  })

  test(`${name} as a member is answered with ${allowed.member}`, async () => {
    const answer = await ask(basic('Ann'))
    expectAnswer(answer, { status: allowed.member, ...(allowed.member === 403 ? { code: '4003' } : {}) })
  })

  if (allowed.admin === 0) continue
  test(`${name} as the administrator is answered with ${allowed.admin}`, async () => {
    expectAnswer(await ask(admin), { status: allowed.admin })
  })
}

const reduced = ['firstName', 'lastName', 'memberId']

test('a member sees itself in full and others reduced, whatever view it asks for', async () => {
  const self = await app()(`GET /members/${ids.Ann}`, undefined, basic('Ann'))
  assert.ok('emailAddress' in body(self) && 'credential' in body(self))
  for (const query of ['', '?view=detailed', '?view=reduced']) {
    const other = await app()(`GET /members/${ids.Bob}${query}`, undefined, basic('Ann'))
    if (other.status === 403) continue
    assert.deepEqual(Object.keys(body(other)).sort(), reduced, query)
  }
})

const linksOf = (self: string) => [
  { rel: 'self', href: self },
  { rel: 'collection', href: `${app().url}/api/v1/members` },
]

test('a member reads itself as `me`, and learns its address', async () => {
  const asked = () => app()('GET /members/me?links=true', undefined, basic('Ann'))
  const self = await asked()
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
  const named = await app()(`GET /members/${ids.Ann}`, undefined, basic('Ann'))
  expectAnswer(named, { status: 200, answers: { 'content-location': false } })
  const known = { ...basic('Ann'), 'if-none-match': self.headers.etag ?? '' }
  expectAnswer(await app()('GET /members/me.json?links=true', undefined, known), {
    status: 304,
    answers: { 'content-location': `${url}.json?links=true` },
  })
  assert.match((await app()('GET /members/me.xml', undefined, basic('Ann'))).text, new RegExp(`>${ids.Ann}<`))
})

test('what one member has read as `me` another is not told to have', async () => {
  const ann = await create('Twin')
  await create('Other')
  const { headers } = await app()('GET /members/me', undefined, basic('Twin'))
  const tag = headers.etag ?? ''
  expectAnswer(await app()('GET /members/me', undefined, { ...basic('Other'), 'if-none-match': tag }), {
    status: 200,
  })
  const changed = await app()(
    `PATCH /members/${ann}`,
    { zipCode: '2' },
    { ...mergePatch, ...basic('Twin'), 'if-match': tag },
  )
  expectAnswer(changed, { status: 200 })
})

test('what one member has read as `me` is no version of another', async () => {
  await create('Alike')
  await create('Unlike')
  const { headers } = await app()('GET /members/me', undefined, basic('Alike'))
  const condition = { ...basic('Unlike'), 'if-match': headers.etag ?? '' }
  const refused = { status: 412, code: '8003' }
  expectAnswer(await app()('GET /members/me', undefined, condition), refused)
  const patch = { ...mergePatch, ...condition }
  expectAnswer(await app()('PATCH /members/me', { zipCode: '2' }, patch), refused)
})

test('a member changes, gives a new password to and deletes itself as `me`', async () => {
  const id = await create('Selfish')
  const own = basic('Selfish')
  const shows = { memberId: id, address: 'Nara' }
  expectAnswer(await app()('PATCH /members/me', { address: 'Nara' }, { ...mergePatch, ...own }), {
    status: 200,
    shows,
  })
  expectAnswer(await app()('PUT /members/me', profile({ address: 'Kobe' }), own), {
    status: 200,
    shows: { memberId: id, address: 'Kobe' },
  })
  const change = { password: 'another password', currentPassword: 'some password' }
  const changed = await app()('PUT /members/me/credential?links=true', change, own)
  const url = `${app().url}/api/v1/members/${id}`
  expectAnswer(changed, { status: 200, shows: { memberId: id, links: linksOf(url) } })
  expectAnswer(await app()('DELETE /members/me', undefined, basic('Selfish', 'another password')), {
    status: 204,
  })
  expectAnswer(await app()(`GET /members/${id}`, undefined, admin), { status: 404, code: 'e.xx.yy.5001' })
})

test('to whoever is no member `me` is an unknown id', async () => {
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

test('a member sees every list of members reduced, if at all', async () => {
  for (const query of ['', '?view=detailed', '?view=reduced', '?name=John']) {
    const answer = await app()(`GET /members${query}`, undefined, basic('Ann'))
    if (answer.status === 403) continue
    for (const row of rows(answer)) assert.deepEqual(Object.keys(row).sort(), reduced, query)
  }
  const xml = await app()('GET /members.xml', undefined, basic('Ann'))
  assert.ok(!xml.text.includes('emailAddress'))
  const page = await app()('GET /members?page=0', undefined, basic('Ann'))
  assert.ok(!page.text.includes('emailAddress'))
})

test('what a member may not see it cannot learn from an answer to a write', async () => {
  const answer = await app()(`PUT /members/${ids.Bob}`, profile({ firstName: '' }), basic('Ann'))
  expectAnswer(answer, { status: 403, code: '4003' })
  assert.ok(!answer.text.includes('example.com'))
})

test('the administrator sees all in full', async () => {
  for (const row of rows(await app()('GET /members', undefined, admin))) assert.ok('emailAddress' in row)
})

test('a sign id is folded at the door, a password is not', async () => {
  expectAnswer(await app()('GET /todos', undefined, basic('ＡＮＮ')), { status: 200 })
  expectAnswer(await app()('GET /todos', undefined, basic('Ann', 'Some password')), {
    status: 401,
    code: '4001',
  })
})

const wrong: string[] = [
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
for (const authorization of wrong) {
  test(`Authorization '${authorization}' opens nothing`, async () => {
    expectAnswer(await app()('GET /todos', undefined, { authorization }), { status: 401, code: '4001' })
  })
}

test('HEAD is refused as GET is, without a body', async () => {
  const answer = await wire(app().url, { method: 'HEAD', path: '/api/v1/members' })
  assert.equal(answer.status, 401)
  assert.equal(answer.bytes.length, 0)
  assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
})

test('who is unknown does not learn what exists', async () => {
  for (const id of [ids.todo, unknownId]) {
    expectAnswer(await app()(`GET /todos/${id}`), { status: 401, code: '4001' })
  }
})

test('a refused write is not done', async () => {
  const count = rows(await app()('GET /members', undefined, admin)).length
  await app()('POST /members', person(), basic('Ann'))
  await app()('POST /members', person())
  await app()(`DELETE /members/${ids.Bob}`, undefined, basic('Ann'))
  await app()(`DELETE /members/${ids.Bob}`)
  assert.equal(rows(await app()('GET /members', undefined, admin)).length, count)
})

test('the management listener opens the API to nobody else', async () => {
  const answer = await wire(app().management, { path: '/api/v1/members' })
  assert.equal(answer.status, 401)
  const known = await wire(app().management, { path: '/api/v1/members?view=reduced', headers: basic('Ann') })
  assert.equal(known.status, 200)
})

test('no answer sets a cookie or begins a session', async () => {
  const answer = await app()('GET /todos', undefined, admin)
  assert.equal(answer.headers['set-cookie'], undefined)
  expectAnswer(await app()('GET /todos'), { status: 401, code: '4001' })
})

test('a member may delete itself, and is then unknown', async () => {
  const id = await create('Leaver')
  expectAnswer(await app()(`DELETE /members/${id}`, undefined, basic('Leaver')), { status: 204 })
  expectAnswer(await app()('GET /todos', undefined, basic('Leaver')), { status: 401, code: '4001' })
})

test('a changed member is known by its new sign id alone', async () => {
  const id = await create('Before')
  expectAnswer(await app()('GET /todos', undefined, basic('Before')), { status: 200 })
  const sent = { signId: 'After', password: 'some password' }
  expectAnswer(await app()(`PUT /members/${id}/credential`, sent, admin), { status: 200 })
  expectAnswer(await app()('GET /todos', undefined, basic('Before')), { status: 401, code: '4001' })
  expectAnswer(await app()('GET /todos', undefined, basic('After')), { status: 200 })
})

test('who guesses is told to wait, and locks nobody else out', async () => {
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
