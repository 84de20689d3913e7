import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic as asBasic } from '../access/callers.ts'
import { rawExchange } from '../harness.ts'
import { person, profile } from '../people.ts'
import { body, expectAnswer, field, mergePatch, prepare, service } from './table.ts'

const app = service({ ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' })
const basic = (signId: string, password = 'some password') => asBasic(signId, password)
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

test('the ETag of /members/me gives no 304 to another member, and matches under the id', async () => {
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

test('PATCH, PUT, PUT of the credential and DELETE of /members/me change the calling member', async () => {
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

test('/members/me is 404 for the administrator and 401 without credentials; `me` in upper case or under /todos is 404', async () => {
  const lines: [string, unknown?, Record<string, string>?][] = [
    ['GET /members/me'],
    ['PUT /members/me', profile()],
    ['PATCH /members/me', { zipCode: '1' }, mergePatch],
    ['DELETE /members/me'],
    ['PUT /members/me/credential', { password: 'another password' }],
    ['PATCH /members/me/credential', { signId: 'another' }, mergePatch],
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

test('an invalid PUT of another member is answered with 403 and reveals no email address', async () => {
  const answer = await app()(`PUT /members/${ids.Bob}`, profile({ firstName: '' }), basic('Ann'))
  expectAnswer(answer, { status: 403, code: '4003' })
  assert.ok(!answer.text.includes('example.com'))
})

test('no answer sets a cookie, and a credential admits only its own request, not the next one on the connection', async () => {
  const request = (...fields: string[]) =>
    ['GET /api/v1/todos HTTP/1.1', 'Host: localhost', ...fields, '', ''].join('\r\n')
  const { authorization } = admin
  const bytes = request(`Authorization: ${authorization}`) + request('Connection: close')
  const received = await rawExchange(app().url, bytes)
  assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401'])
  assert.doesNotMatch(received, /^Set-Cookie/im)
})
