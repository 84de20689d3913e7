import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { rollcall } from '../cli/warm.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, request, slowHashes } from '../harness.ts'
import { serve } from '../operations/child.ts'
import { john } from '../people.ts'
import { childEnvironment, main } from '../program.ts'
import { asRoot, basic, enrol, root, startBasic, stoppedClock } from './callers.ts'

const challenge = 'Basic realm="rollcall", charset="UTF-8"'

const withoutTrack = ({ status, headers, text }: Answer) => {
  const { 'x-track': _, date: __, ...fields } = headers
  return { status, fields, text }
}

test('administrator and members are admitted; a request without a credential gets a 401 challenge', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  assert.equal((await api('GET /todos', undefined, asRoot)).status, 200)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const refused = await api('GET /todos')
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['www-authenticate'], challenge)
  assert.equal((refused.body as { code: string }).code, 'e.xx.fw.4001')
})

test('an unknown sign id, a wrong password and a missing credential all get the same answer', async (t) => {
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
  const signIn = async (signId: string, password: string) =>
    (await api('GET /todos', undefined, basic(signId, password))).status
  assert.equal(await signIn('Jürgen@例え.jp', 'Größe: 日本語'), 200)
  assert.equal(await signIn('JÜRGEN@例え.JP', 'Größe: 日本語'), 200)
  assert.equal(await signIn('Jürgen@例え.jp', 'größe: 日本語'), 401)
  const latin1 = Buffer.from('Jürgen@x:Größe', 'latin1').toString('base64')
  assert.equal((await api('GET /todos', undefined, { authorization: `Basic ${latin1}` })).status, 401)
})

test('a malformed credential or another scheme gets 401; the scheme is case-insensitive', async (t) => {
  const api = await startBasic(t)
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const given = [
    'Basic',
    'Basic ',
    'Basic !!!!',
    `Basic ${base64('no colon')}`,
    `Basic ${base64(':password')}`,
    `Basic ${base64('root:')}`,
    `Basic ${base64(` ${root.signId}:${root.password}`)}`,
    `Basic ${base64(`${root.signId}:${root.password} `)}`,
    `${root.signId}:${root.password}`,
    'Digest username="root"',
    `Basic ${base64(`${root.signId}:${root.password}`)} x`,
    `Bearer ${base64(`${root.signId}:${root.password}`)}`,
    `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`,
  ]
  for (const authorization of given) {
    const answer = await api('GET /todos', undefined, { authorization })
    assert.equal(answer.status, 401, authorization)
    const invalid = authorization.startsWith('Bearer')
      ? ', Bearer realm="rollcall", error="invalid_token"'
      : ''
    assert.equal(answer.headers['www-authenticate'], challenge + invalid)
  }
  const lower = asRoot.authorization.replace('Basic', 'bASIC ')
  assert.equal((await api('GET /todos', undefined, { authorization: lower })).status, 200)
})

test('a body that arrives after its credential was changed gets 401 and creates nothing', async (t) => {
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

test('after ten failures a sign id is throttled for growing periods, then admitted again', async (t) => {
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
    assert.equal(
      (await api('GET /todos', undefined, mary.headers)).status,
      429,
      'the right password is throttled too',
    )
    assert.equal((await api('GET /todos', undefined, asRoot)).status, 200, 'another sign id is not')
    clock.pass(seconds * 1000)
    assert.equal((await wrong()).status, 401)
  }
  clock.pass(60_000)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  assert.equal((await wrong()).status, 401, 'all failures are forgotten')
  assert.equal((await wrong()).status, 401)
})

test('ten simultaneous copies of one wrong guess count as ten failures', async (t) => {
  const api = await startBasic(t, {}, { clock: stoppedClock() })
  const statusOf = async (guess: string) => (await api('GET /todos', undefined, basic('mary', guess))).status
  const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf('guess')))
  assert.deepEqual(new Set(statuses), new Set([401]))
  assert.equal(await statusOf('another guess'), 429)
})

test('login failures survive a restart', async (t) => {
  const [clock, DATABASE_URL] = [stoppedClock(), `sqlite:${join(freshFolder(), 'test.db')}`]
  const first = await startBasic(t, { DATABASE_URL }, { clock })
  const guess = basic('mary', 'wrong')
  for (let failure = 1; failure <= 10; failure++) await first('GET /todos', undefined, guess)
  await first.close()
  const second = await startBasic(t, { DATABASE_URL }, { clock })
  assert.equal((await second('GET /todos', undefined, guess)).status, 429)
})

test('forty spellings of one known credential are all admitted; a different password is not', async (t) => {
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

test('a full-width colon in a sign id does not make one login match another', async (t) => {
  const api = await startBasic(t)
  const wide = await enrol(api, 'mary：jane', 'swordfish')
  await enrol(api, 'mary', 'jane:swordfish!')
  assert.equal((await api('GET /todos', undefined, wide.headers)).status, 200)
  assert.equal((await api('GET /todos', undefined, basic('mary', 'jane:swordfish'))).status, 401)
  assert.equal((await api('GET /todos', undefined, basic('mary', 'jane:swordfish!'))).status, 200)
})

test('a member that guesses its current password is throttled, and does not block other logins', async (t) => {
  const clock = stoppedClock()
  const api = await startBasic(t, {}, { clock, ...slowHashes })
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
  assert.ok(wrong >= 2 && wrong < 10, 'two are checked at a time, and few get a turn')
  for (let guess = wrong; guess < 10; guess++) assert.equal(await change(`guess ${guess}`), 400)
  assert.equal(await change(mary.password), 429)
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200, 'its login stays valid')
  clock.pass(1_000)
  assert.equal(await change(mary.password), 200)
})

test('a flood of logins from many addresses gets 503, while a known login is still admitted', async (t) => {
  const api = await startBasic(t, { TRUST_PROXY: '127.0.0.1' }, slowHashes)
  const mary = await enrol(api, 'mary')
  assert.equal((await api('GET /todos', undefined, mary.headers)).status, 200)
  const flood = Array.from({ length: 100 }, (_, index) => {
    const headers = { ...basic(`user${index}`, 'wrong'), 'x-forwarded-for': `192.0.2.${index}` }
    return api('GET /todos', undefined, headers)
  })
  const known = await api('GET /todos', undefined, mary.headers)
  assert.equal(known.status, 200)
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 503)
  assert.ok(refused.length >= 50, `${refused.length}`)
  assert.ok(refused.every(({ headers, text }) => headers['retry-after'] && text.includes('e.xx.fw.9004')))
  assert.ok(answers.every(({ status }) => status === 503 || status === 401))
})

test('a start whose port is taken makes no administrator, so the next start shows the password', async (t) => {
  const busy = createServer().listen(0, '127.0.0.1')
  t.after(() => busy.close())
  await once(busy, 'listening')
  const { port } = busy.address() as AddressInfo
  const environment = { ACCESS: 'basic', DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}` }
  const first = await rollcall(['serve'], { environment: { ...environment, PORT: String(port) } })
  assert.equal(first.code, 2)
  assert.doesNotMatch(first.err, /shown only once/)
  const { url, err } = await serve(t, { environment })
  const password = /admin, password (\S+) \(shown only once\)/.exec(err())?.[1] ?? ''
  assert.ok(password.length >= 24)
  const answer = await request(`${url}/api/v1`, 'GET /todos', { headers: basic('admin', password) })
  assert.equal(answer.status, 200)
})

test('no administrator is stored if the password cannot be written to standard error', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, async (t) => {
  const environment = { ACCESS: 'basic', DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}` }
  const refused = spawn('sh', ['-c', 'exec "$0" "$1" serve 2> /dev/full', process.execPath, main], {
    env: { ...childEnvironment, PORT: '0', MANAGEMENT_PORT: 'off', ...environment },
    stdio: 'ignore',
  })
  t.after(() => refused.kill('SIGKILL'))
  const [code] = await once(refused, 'exit')
  assert.equal(code, 3)
  const { err } = await serve(t, { environment })
  assert.match(err(), /shown only once/)
})

test('the log contains no password and no Basic credential', async (t) => {
  const api = await startBasic(t, { LOG_LEVEL: 'debug' })
  const mary = await enrol(api, 'mary', 'swordfish77')
  await api('GET /todos', undefined, mary.headers)
  await api('GET /todos', undefined, basic('mary', 'wrongfish'))
  const lines = JSON.stringify(api.log)
  for (const secret of ['swordfish77', 'wrongfish', root.password, mary.headers.authorization.slice(6)]) {
    assert.ok(!lines.includes(secret), secret)
  }
})

test('the log names the caller, the record of a change, and the address of a change or a refusal', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const line = (track: string) => {
    const { record, principal, address } = api.log.find((line) => line.track === track) ?? {}
    return [record, principal, address]
  }
  const as = (track: string, headers = mary.headers) => ({ ...headers, 'x-track': track })
  const created = await api('POST /todos', { todoTitle: 'a' }, { ...as('created'), 'idempotency-key': '"1"' })
  const { todoId } = created.body as { todoId: string }
  await api('POST /todos', { todoTitle: 'a' }, { ...as('again'), 'idempotency-key': '"1"' })
  await api(`PUT /todos/${todoId}`, undefined, as('finished'))
  await api(`GET /todos/${todoId}`, undefined, as('read'))
  await api('PATCH /members/me', '{"lastName":"B"}', {
    ...as('patched'),
    'content-type': 'application/merge-patch+json',
  })
  await api('DELETE /members/none', undefined, as('unknown', asRoot))
  await api('POST /members', john, as('not-allowed'))
  await api('GET /todos', undefined, as('out', basic('mary', 'wrongfish')))
  const member = `member:${mary.memberId}`
  const todo = [`/todos/${todoId}`, member, '127.0.0.1']
  for (const track of ['created', 'again', 'finished']) assert.deepEqual(line(track), todo, track)
  assert.deepEqual(line('read'), [undefined, member, undefined])
  assert.deepEqual(line('patched'), [`/members/${mary.memberId}`, member, '127.0.0.1'])
  assert.deepEqual(line('unknown'), ['/members/none', 'administrator', '127.0.0.1'])
  assert.deepEqual(line('not-allowed').slice(1), [member, '127.0.0.1'])
  assert.deepEqual(line('out').slice(1), [undefined, '127.0.0.1'])
})

test('the log of a refused sign-in names the attempted sign id, shortened and without control characters', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const tried = async (headers: Readonly<Record<string, string>>) => {
    await api('GET /todos', undefined, { ...headers, 'x-track': 'tried' })
    return api.log.at(-1)?.tried
  }
  assert.equal(await tried(basic('mary', 'wrongfish')), 'mary')
  assert.equal(await tried(basic(`${'😀'.repeat(64)}more`, 'wrongfish')), '😀'.repeat(64))
  const [clearing, turned] = ['\u001b', '\u202e']
  assert.equal(
    await tried(basic(`a${clearing}[2J\r\n${turned}b"c`, 'wrongfish')),
    'a\ufffd[2J\ufffd\ufffd\ufffdb"c',
  )
  assert.equal(await tried(mary.headers), undefined)
  assert.equal(await tried({}), undefined)
  for (let times = 0; times < 12; times++) await tried(basic('mary', `wrongfish${times}`))
  assert.deepEqual([api.log.at(-1)?.status, await tried(basic('mary', 'x'))], [429, 'mary'])
})

test('guesses throttle only the address they come from, with any port and any forged X-Forwarded-For entry', async (t) => {
  const api = await startBasic(t, { TRUST_PROXY: '127.0.0.1' }, { clock: stoppedClock() })
  const mary = await enrol(api, 'mary')
  const from = (address: string, password: string) =>
    api('GET /todos', undefined, { ...basic('mary', password), 'x-forwarded-for': address })
  for (let guess = 1; guess <= 10; guess++)
    assert.equal((await from(`192.0.2.7:${5000 + guess}`, `guess ${guess}`)).status, 401)
  for (const address of ['192.0.2.7:6000', '198.51.100.9, 192.0.2.7'])
    assert.equal((await from(address, 'guess')).status, 429, address)
  assert.equal((await from('192.0.2.7', mary.password)).status, 429, 'the right password is throttled too')
  assert.equal((await from('203.0.113.5', mary.password)).status, 200)
})
