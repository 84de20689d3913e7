import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AdministratorCreated } from '#src/app/entrance.ts'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, john, request } from '../harness.ts'
import { rollcall, serve } from '../operations/child.ts'
import { asRoot, basic, enrol, root, startBasic, stoppedClock } from './callers.ts'

const challenge = 'Basic realm="rollcall", charset="UTF-8"'

const withoutTrack = ({ status, headers, text }: Answer) => {
  const { 'x-track': _, date: __, ...fields } = headers
  return { status, fields, text }
}

test('the administrator and members come in, others are asked who they are', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  assert.equal((await api('GET /todos', undefined, asRoot)).status, 200)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const refused = await api('GET /todos')
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['www-authenticate'], challenge)
  assert.equal((refused.body as { code: string }).code, 'e.xx.fw.4001')
})

test('an unknown sign id, a wrong password and no credential are answered with the same bytes', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary')
  const answers = await Promise.all(
    [basic('nobody', 'wrongwrong'), basic('mary', 'wrongwrong'), basic('root', 'wrongwrong'), {}].map(
      (headers) => api('GET /todos', undefined, headers),
    ),
  )
  const [first, ...others] = answers.map(withoutTrack)
  for (const other of others) assert.deepEqual(other, first)
})

test('sign ids are folded, passwords are not, and both are UTF-8', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'Jürgen@例え.jp', 'Größe: 日本語')
  const enter = async (signId: string, password: string) =>
    (await api('GET /todos', undefined, basic(signId, password))).status
  assert.equal(await enter('Jürgen@例え.jp', 'Größe: 日本語'), 200)
  assert.equal(await enter('JÜRGEN@例え.JP', 'Größe: 日本語'), 200)
  assert.equal(await enter('Jürgen@例え.jp', 'größe: 日本語'), 401)
  const latin1 = Buffer.from('Jürgen@x:Größe', 'latin1').toString('base64')
  assert.equal((await api('GET /todos', undefined, { authorization: `Basic ${latin1}` })).status, 401)
})

test('what is no credential is refused before any password is checked', async (t) => {
  const api = await startBasic(t)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const given = [
    'Basic',
    'Basic ',
    'Basic !!!!',
    `Basic ${base64('no colon')}`,
    `Basic ${base64(':password')}`,
    `Basic ${base64('ro\0ot:password')}`,
    `Basic ${base64(`${root.signId}:${root.password}`)} x`,
    `Bearer ${base64(`${root.signId}:${root.password}`)}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
  ]
  for (const authorization of given) {
    const answer = await api('GET /todos', undefined, { authorization })
    assert.equal(answer.status, 401, authorization)
    assert.equal(answer.headers['www-authenticate'], challenge)
  }
  const lower = asRoot.authorization.replace('Basic', 'bASIC ')
  assert.equal((await api('GET /todos', undefined, { authorization: lower })).status, 200)
})

test('a login dies with the change of its credential, and with its member', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const enter = async (headers: Record<string, string>) =>
    (await api('GET /todos', undefined, headers)).status
  assert.equal(await enter(mary.headers), 200)
  const change = { password: 'new password', currentPassword: mary.password }
  assert.equal((await api(`PUT /members/${mary.memberId}/credential`, change, mary.headers)).status, 200)
  assert.equal(await enter(mary.headers), 401)
  const renewed = basic('mary', 'new password')
  assert.equal(await enter(renewed), 200)
  assert.equal((await api(`DELETE /members/${mary.memberId}`, undefined, renewed)).status, 204)
  assert.equal(await enter(renewed), 401)
})

test('a body that comes when its credential is gone changes nothing', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const late = httpRequest(`${api.url}/api/v1/todos`, {
    method: 'POST',
    headers: { ...mary.headers, 'Content-Type': 'application/json', Expect: '100-continue' },
  })
  late.flushHeaders()
  await once(late, 'continue')
  const change = { password: 'new password' }
  assert.equal((await api(`PUT /members/${mary.memberId}/credential`, change, asRoot)).status, 200)
  late.end('{"todoTitle":"ghost"}')
  const [answer] = await once(late, 'response')
  answer.resume()
  assert.equal(answer.statusCode, 401)
  assert.deepEqual((await api('GET /todos', undefined, asRoot)).body, [])
})

test('after ten failures a sign id waits, longer each time, and comes in when it has waited', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const mary = await enrol(api, 'mary')
  const wrong = () => api('GET /todos', undefined, basic('MARY', `wrong ${Math.random()}`))
  for (let failure = 1; failure <= 10; failure++) assert.equal((await wrong()).status, 401)
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const refused = await wrong()
    assert.equal(refused.status, 429)
    assert.equal((refused.body as { code: string }).code, 'e.xx.fw.9005')
    assert.equal(refused.headers['retry-after'], String(seconds))
    assert.equal(refused.headers.ratelimit, `"logins";r=0;t=${seconds}`)
    assert.equal(refused.headers['ratelimit-policy'], '"logins";q=10;w=60')
    assert.equal((await api('GET /todos', undefined, mary.headers)).status, 429, 'nor does the right one')
    assert.equal((await api('GET /todos', undefined, asRoot)).status, 200, 'others do')
    clock.pass(seconds * 1000)
    assert.equal((await wrong()).status, 401)
  }
  clock.pass(60_000)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  assert.equal((await wrong()).status, 401, 'and all is forgotten')
  assert.equal((await wrong()).status, 401)
})

test('guesses side by side are no way round the throttle', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary')
  const guesses = Array.from({ length: 30 }, (_, index) =>
    api('GET /todos', undefined, basic('mary', `guess ${index}`)),
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 10)
  assert.equal(statuses.filter((status) => status === 429).length, 20)
})

test('the right credential brought by many at once is checked once, and all come in', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => api('GET /todos', undefined, mary.headers)),
  )
  assert.ok(answers.every(({ status }) => status === 200))
})

test('a login that is known is not checked again because it is spelled in another way', async (t) => {
  const api = await startBasic(t)
  const password = 'caf\u00e9 au lait'
  const mary = await enrol(api, 'mary', password)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const spellings = Array.from({ length: 40 }, (_, index) => {
    const signId = [...'mary']
      .map((letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter))
      .join('')
    const { authorization } = basic(signId, index < 20 ? password : password.normalize('NFD'))
    return { authorization: authorization.replace(' ', ' '.repeat(index + 1)) }
  })
  const answers = await Promise.all(spellings.map((headers) => api('GET /todos', undefined, headers)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal((await api('GET /todos', undefined, basic('mary', password.toUpperCase()))).status, 401)
})

test('where a wide colon folds to a colon, one login is not taken for another', async (t) => {
  const api = await startBasic(t)
  const wide = await enrol(api, 'mary：jane', 'swordfish')
  await enrol(api, 'mary', 'jane:swordfish!')
  assert.equal((await api('GET /todos', undefined, wide.headers)).status, 200)
  assert.equal((await api('GET /todos', undefined, basic('mary', 'jane:swordfish'))).status, 401)
  assert.equal((await api('GET /todos', undefined, basic('mary', 'jane:swordfish!'))).status, 200)
})

test('a clock that is put back locks nobody out for longer than a minute', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const mary = await enrol(api, 'mary')
  const status = async (password: string) =>
    (await api('GET /todos', undefined, basic('mary', password))).status
  for (let guess = 0; guess < 10; guess++) assert.equal(await status(`guess ${guess}`), 401)
  assert.equal(await status(mary.password), 429)
  clock.pass(-3_600_000)
  assert.equal(await status('guess'), 401)
  assert.equal(await status(mary.password), 200)
})

test('a member that guesses its own password waits, and takes nobody the checks of theirs', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock })
  const [mary, john] = [await enrol(api, 'mary'), await enrol(api, 'john', 'john password')]
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const change = async (currentPassword: string) =>
    (
      await api(
        `PUT /members/${mary.memberId}/credential`,
        { password: 'new password', currentPassword },
        mary.headers,
      )
    ).status
  const guesses = Array.from({ length: 80 }, (_, index) => change(`guess ${index}`))
  assert.equal((await api('GET /todos', undefined, john.headers)).status, 200)
  const statuses = await Promise.all(guesses)
  const wrong = statuses.filter((status) => status === 400).length
  assert.equal(statuses.filter((status) => status === 429).length, 80 - wrong)
  assert.ok(wrong >= 2 && wrong < 10, 'two at a time, and few find their turn')
  for (let guess = wrong; guess < 10; guess++) assert.equal(await change(`guess ${guess}`), 400)
  assert.equal(await change(mary.password), 429)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200, 'it is in all the same')
  clock.pass(1_000)
  assert.equal(await change(mary.password), 200)
})

test('a flood of logins is refused as overload, and those who are known come in', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const flood = Array.from({ length: 100 }, (_, index) =>
    api('GET /todos', undefined, basic(`user${index}`, 'wrong')),
  )
  const known = await api('GET /todos', undefined, mary.headers)
  assert.equal(known.status, 200)
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 503)
  assert.ok(refused.length >= 50, `${refused.length}`)
  assert.ok(refused.every(({ headers, text }) => headers['retry-after'] && text.includes('e.xx.fw.9004')))
  assert.ok(answers.every(({ status }) => status === 503 || status === 401))
})

test('failures outlive the process, and the administrator is made once', async () => {
  const folder = freshFolder()
  const clock = stoppedClock()
  const administrators: Parameters<AdministratorCreated>[0][] = []
  const start = () =>
    openApp(
      readConfig({
        PORT: '0',
        MANAGEMENT_PORT: 'off',
        ACCESS: 'basic',
        DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
      }),
      {
        logSink: { write: () => undefined },
        clock,
        administratorCreated: (made) => void administrators.push(made),
      },
    )
  const first = await start()
  const [made] = administrators
  assert.ok(made && made.password.length >= 24)
  const status = async (url: string, headers: Record<string, string>) =>
    (await request(`${url}/api/v1`, 'GET /todos', { headers })).status
  assert.equal(await status(first.url, basic(made.signId, made.password)), 200)
  for (let failure = 1; failure <= 10; failure++) await status(first.url, basic('mary', `wrong ${failure}`))
  await first.close()

  const second = await start()
  assert.equal(administrators.length, 1)
  assert.equal(await status(second.url, basic(made.signId, made.password)), 200)
  assert.equal(await status(second.url, basic('mary', 'wrong again')), 429)
  await second.close()
})

test('the password of the administrator is told also by a start that does not come up', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  const environment = { ACCESS: 'basic', DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}` }
  const first = await rollcall(['serve'], { environment: { ...environment, PORT: String(port) } })
  assert.equal(first.code, 2)
  const password = /admin, password (\S+) \(shown only once\)/.exec(first.err)?.[1] ?? ''
  const { url, err } = await serve(t, { environment })
  assert.doesNotMatch(err(), /shown only once/)
  const answer = await request(`${url}/api/v1`, 'GET /todos', { headers: basic('admin', password) })
  assert.equal(answer.status, 200)
})

test('no answer and no line of the log tells a password or a header that holds one', async (t) => {
  const api = await startBasic(t, { LOG_LEVEL: 'debug' })
  const mary = await enrol(api, 'mary', 'swordfish77')
  await api('GET /todos', undefined, mary.headers)
  await api('GET /todos', undefined, basic('mary', 'wrongfish'))
  const lines = JSON.stringify(api.log)
  for (const secret of ['swordfish77', 'wrongfish', root.password, mary.headers.authorization.slice(6)]) {
    assert.ok(!lines.includes(secret), secret)
  }
})

test('the log says who came, and from where whoever was kept out', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const line = (track: string) => api.log.find((line) => line.track === track)
  await api('GET /todos', undefined, { ...mary.headers, 'x-track': 'in' })
  await api('POST /members', john, { ...mary.headers, 'x-track': 'not-allowed' })
  await api('GET /todos', undefined, { ...basic('mary', 'wrongfish'), 'x-track': 'out' })
  const { principal, address } = { principal: `member:${mary.memberId}`, address: '127.0.0.1' }
  assert.deepEqual(pick(line('in')), { principal, address: undefined })
  assert.deepEqual(pick(line('not-allowed')), { principal, address })
  assert.deepEqual(pick(line('out')), { principal: undefined, address })
})

const pick = (line: Readonly<Record<string, unknown>> | undefined) => ({
  principal: line?.principal,
  address: line?.address,
})

test('a member changes itself with its password only', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const { credential: _, ...profile } = john
  const update = await api(`PUT /members/${mary.memberId}`, { ...profile, lastName: 'Jones' }, mary.headers)
  assert.equal(update.status, 200)
  const path = `PUT /members/${mary.memberId}/credential`
  assert.equal((await api(path, { password: 'new password' }, mary.headers)).status, 400)
  assert.equal(
    (await api(path, { password: 'new password', currentPassword: 'wrong' }, mary.headers)).status,
    400,
  )
  assert.equal((await api(path, { password: 'new password' }, asRoot)).status, 200)
})

test('guesses from one address keep nobody out elsewhere, and no field or port makes another address of it', async (t) => {
  const api = await startBasic(t, { TRUST_PROXY: '127.0.0.1' }, { clock: stoppedClock() })
  const mary = await enrol(api, 'mary')
  const from = (address: string, password: string) =>
    api('GET /todos', undefined, { ...basic('mary', password), 'x-forwarded-for': address })
  for (let guess = 1; guess <= 10; guess++)
    assert.equal((await from(`192.0.2.7:${5000 + guess}`, `guess ${guess}`)).status, 401)
  const same = [
    '192.0.2.7',
    '192.0.2.7:6000',
    '::ffff:192.0.2.7',
    '198.51.100.9, 192.0.2.7',
    '192.0.2.7, 127.0.0.1',
  ]
  for (const address of same) assert.equal((await from(address, 'guess')).status, 429, address)
  assert.equal(
    (await from('192.0.2.7', mary.password)).status,
    429,
    'that address waits, also with the right one',
  )
  assert.equal((await from('203.0.113.5', mary.password)).status, 200)
})
