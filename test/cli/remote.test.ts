import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { basic, enrol, root, startBasic } from '../access/callers.ts'
import { foreignAnswer, redirectTo, type Spoil, spoilingProxy, standIn } from '../client/stand-ins.ts'
import { freePort } from '../free-port.ts'
import { startApp } from '../harness.ts'
import { main } from '../program.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

const open = async (t: TestContext, settings: Record<string, string> = {}) => {
  const api = await startApp(t, settings)
  const { run, write } = openFolder()
  const runAt = (url: string) => (args: readonly string[]) => run([...args, '--url', url], 'sqlite:none.db')
  return { api, runAt, write }
}

test('several passwords are read as lines of standard input, and a missing one is named', async (t) => {
  const api = await startBasic(t)
  const { memberId } = await enrol(api, 'mary', 'demodemo')
  const args = ['member', 'passwd', memberId, '--current', '--user', 'mary', '--url', api.url]
  const lacking = await rollcall(args, { input: 'demodemo\ndemodemo\n' })
  assert.deepEqual(
    [lacking.code, lacking.err],
    [2, 'rollcall: New password is missing: give each password as one line of standard input.\n'],
  )
  const { code, err } = await rollcall(args, { input: 'demodemo\r\ndemodemo\r\nnewpassword' })
  assert.deepEqual([code, err], [0, ''])
  const { status } = await api(`GET /members/${memberId}`, undefined, basic('mary', 'newpassword'))
  assert.equal(status, 200)
})

test('the link of an invitation is printed, but only by a running service', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary', 'demodemo')
  const args = ['member', 'invite', '--sign-id', 'mary']
  const environment = { ROLLCALL_URL: api.url, ROLLCALL_USER: root.signId, ROLLCALL_PASSWORD: root.password }
  const { code, out, err } = await rollcall(args, { environment })
  assert.deepEqual([code, err], [0, ''])
  const [, secret = ''] = /^http\S+\/#\/invitation\/(ri_\S+)\n$/.exec(out) ?? []
  const headers = { Authorization: `Bearer ${secret}` }
  assert.equal((await api('GET /members/me/invitation', undefined, headers)).status, 200)
  const here = await rollcall([...args, '--database-url', 'sqlite::memory:'])
  assert.deepEqual(
    [here.code, here.err],
    [2, 'rollcall: Give the address of the service with --url: the link leads to its console.\n'],
  )
})

test('a member can address itself as `me`, and cannot find others by sign id', async (t) => {
  const api = await startBasic(t)
  const { memberId } = await enrol(api, 'mary', 'demodemo')
  const environment = { ROLLCALL_URL: api.url, ROLLCALL_USER: 'mary', ROLLCALL_PASSWORD: 'demodemo' }
  const asMary = (...words: readonly string[]) => rollcall(['member', ...words], { environment })
  const { code, out } = await asMary('show', 'me', '--json')
  assert.deepEqual([code, JSON.parse(out).memberId], [0, memberId])
  const other = await asMary('show', '--sign-id', 'mary')
  assert.equal(other.code, 1)
  assert.match(other.err, /^rollcall: --sign-id: /)
  const args = ['member', 'passwd', 'me']
  const { err } = await rollcall(args, { environment, input: 'newpassword\n' })
  assert.match(err, /^rollcall: Current password \(--current\): "currentPassword" must not be null\.\n$/)
})

test('an export of members in the reduced view says so', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary', 'demodemo')
  const args = ['export', 'members', '--without-hashes', '--url', api.url]
  const environment = { ROLLCALL_USER: 'mary', ROLLCALL_PASSWORD: 'demodemo' }
  const { code, out, err } = await rollcall(args, { environment })
  assert.deepEqual([code, Object.keys(JSON.parse(out))], [0, ['memberId', 'firstName', 'lastName']])
  assert.match(err, /^These are members in the reduced view, which is all that this sign-in may see\.$/m)
  const whole = await rollcall(args, {
    environment: { ROLLCALL_USER: root.signId, ROLLCALL_PASSWORD: root.password },
  })
  assert.doesNotMatch(whole.err, /reduced/)
})

test('an export of keys from a service has all their scopes, however many the first key has', async (t) => {
  const { api, runAt } = await open(t)
  await api('POST /keys', { name: 'one', scopes: ['todos:read'] })
  await api('POST /keys', { name: 'two', scopes: ['todos:read', 'members:read'] })
  const run = runAt(api.url)
  const { out, err } = await run(['export', 'keys', '--format', 'csv', '--without-hashes'])
  assert.match(out, /two,"todos:read,members:read",/)
  assert.doesNotMatch(err, /reduced/)
  const forPeople = await run(['export', 'keys', '--for-people', '--columns', 'name,scopes'])
  assert.equal(forPeople.out, '\uFEFFName,Scopes\r\none,todos:read\r\ntwo,"todos:read,members:read"\r\n')
})

test('an import waits until a rate limit resets, without blaming a record', async (t) => {
  const { api, runAt, write } = await open(t, { RATE_LIMIT: '3/1s' })
  await write('todos.ndjson', '{"todoTitle":"a"}\n'.repeat(7))
  const { code, err, out } = await runAt(api.url)(['import', 'todos', 'todos.ndjson', '--json'])
  assert.equal(code, 0, err)
  assert.partialDeepStrictEqual(JSON.parse(out), { written: 7, refused: 0 })
  assert.ok(api.log.some(({ status }) => status === 429))
})

test('an import fails if the rate limit resets too late', async (t) => {
  const { api, runAt, write } = await open(t, { RATE_LIMIT: '3/600s' })
  await write('todos.ndjson', '{"todoTitle":"a"}\n'.repeat(7))
  const { code, err } = await runAt(api.url)(['import', 'todos', 'todos.ndjson'])
  assert.equal(code, 1)
  assert.match(err, /rollcall: Too many requests.*\.\n$/)
  assert.equal((await api('GET /todos')).status, 429)
})

test('an import that the service forbids or cannot do ends at once, without blaming a record', async (t) => {
  const { run, write, folder } = openFolder()
  await write('todos.ndjson', '{"todoTitle":"a"}\n'.repeat(20))
  for (const status of [403, 404, 405, 500]) {
    const place = await standIn(t, [answering('{"code":"e.xx.fw.9003","message":"No."}', status)])
    const args = ['import', 'todos', 'todos.ndjson', '--url', place.url]
    assert.deepEqual(await run(args, 'sqlite:none.db'), { code: 1, out: '', err: 'rollcall: No.\n' })
    assert.ok(place.asked() <= 8, `${place.asked()} of 20 were sent`)
  }
  assert.deepEqual(await readdir(folder), ['todos.ndjson'])
})

test('--database-url takes precedence over ROLLCALL_URL; together with --url it is refused', async (t) => {
  const { api } = await open(t)
  await api('POST /todos', { todoTitle: 'far' })
  const { run, folder } = openFolder()
  await run(['todo', 'add', 'near'], 'sqlite:a.db')
  const environment = { ROLLCALL_URL: api.url }
  const here = ['--database-url', 'sqlite:a.db']
  for (const args of [
    ['todo', 'list'],
    ['export', 'todos'],
  ]) {
    assert.match((await rollcall(args, { cwd: folder, environment })).out, /far/)
    assert.match((await rollcall([...args, ...here], { cwd: folder, environment })).out, /near/)
    const { code, err } = await rollcall([...args, ...here, '--url', api.url], { cwd: folder })
    assert.deepEqual([code, err], [2, 'rollcall: --url and --database-url name two places: give only one.\n'])
  }
})

test('an export whose answer breaks off reports this in one sentence and leaves no file', async (t) => {
  const { api } = await open(t)
  await api('POST /todos', { todoTitle: 'a' })
  const half = (outgoing: ServerResponse) => {
    outgoing
      .writeHead(200, { 'Content-Type': 'application/json', 'X-Track': 'x' })
      .write('[{"todoTitle":"a"},')
    setImmediate(() => outgoing.destroy())
  }
  const wire = await spoilingProxy(t, api.url, [half])
  const { folder } = openFolder()
  const args = ['export', 'todos', 'todos.ndjson', '--url', wire.url]
  const { code, err } = await rollcall(args, { cwd: folder })
  assert.equal(code, 1)
  assert.match(err, /^rollcall: The answer of \S+\/api\/v1\/todos broke off: .+\.\n$/)
  assert.deepEqual(await readdir(folder), [])
})

/** Answers like another server that also sends X-Track. */
const answering =
  (body: string, status = 200): Spoil =>
  (outgoing) =>
    void outgoing.writeHead(status, { 'Content-Type': 'application/json', 'X-Track': 'x' }).end(body)

test('an answer unlike those of the service is reported in one sentence', async (t) => {
  for (const [args, answers] of [
    ['todo list', [answering('{}')]],
    ['todo list', [answering('{"content":[{}]}')]],
    ['member list', [answering('{"content":[null]}')]],
    ['todo add x', [answering('null', 201)]],
    ['export todos', [answering('{}')]],
    ['export todos', [answering('[{x}]')]],
    ['export todos --format csv', [answering('[null]')]],
  ] as const) {
    const { url } = await standIn(t, answers)
    const { code, err } = await rollcall([...args.split(' '), '--url', url])
    assert.equal(code, 1, args)
    assert.match(err, /^rollcall: \S+\/api\/v1 does not answer like the service: .+\.\n$/, args)
  }
})

test('text from a service or a CSV header cannot move the cursor or start a new line', async (t) => {
  const details = [{ code: 'Size', message: 'a\u001b]0;b\u0007\n\u009bc' }]
  const refusal = JSON.stringify({ code: 'e.xx.fw.8002', message: '\u001b[2Jx\nrollcall: done', details })
  const { url } = await standIn(t, [answering(refusal, 409)])
  const { err } = await rollcall(['todo', 'add', 'x', '--url', url])
  assert.equal(
    err,
    String.raw`rollcall: \u001b[2Jx\u000arollcall: done` +
      '\n' +
      String.raw`  a\u001b]0;b\u0007\u000a\u009bc` +
      '\n',
  )
  const { folder, write } = openFolder()
  await write('todos.csv', 'todoTitle,a\u001b[2J,a\u001b[2J\n')
  const slip = await rollcall(['import', 'todos', 'todos.csv'], { cwd: folder })
  assert.match(slip.err, /^Left out: a\\u001b\[2J, a\\u001b\[2J\. /)
})

test('a redirect is reported and not followed: no password, token or record goes to another host', async (t) => {
  const thief = await standIn(t, [answering('[]')])
  const place = `${thief.url}/api/v1/todos`
  const { url } = await standIn(t, [redirectTo(307, place)])
  const err = `rollcall: ${url}/api/v1: A redirect to ${place}, which is not followed: the service never redirects.\n`
  const { folder, write } = openFolder()
  await write('todos.csv', 'todoTitle\na\n')
  const mary = { ROLLCALL_USER: 'mary', ROLLCALL_PASSWORD: 'demodemo' }
  for (const [args, environment] of [
    ['todo list', mary],
    ['todo add x', { ROLLCALL_TOKEN: 'x' }],
    ['export todos', mary],
    ['import todos todos.csv', mary],
  ] as const) {
    const told = await rollcall([...args.split(' '), '--url', url], { cwd: folder, environment })
    assert.deepEqual(told, { code: 1, out: '', err }, args)
  }
  assert.equal(thief.asked(), 0)
})

test('a failed sign-in says what was missing or wrong', async (t) => {
  const api = await startBasic(t)
  const wrong = { ROLLCALL_USER: 'mary', ROLLCALL_PASSWORD: 'demodemo' }
  for (const args of [
    ['todo', 'list'],
    ['export', 'todos'],
  ])
    for (const [environment, says] of [
      [{}, 'Sign in with --user (password from ROLLCALL_PASSWORD or the terminal) or --token-file.'],
      [wrong, 'The sign id or the password is wrong.'],
      [{ ROLLCALL_TOKEN: 'x' }, 'The token is not accepted.'],
    ] as const) {
      const { code, err } = await rollcall([...args, '--url', api.url], { environment })
      assert.deepEqual([code, err], [1, `rollcall: Authentication is required. ${says}\n`])
    }
})

test('a command reports a full standard output in one sentence', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, async (t) => {
  const { api } = await open(t)
  await api('POST /todos', { todoTitle: 'a' })
  for (const args of ['todo list', 'export todos']) {
    const command = `exec "$0" "$1" ${args} --url ${api.url} > /dev/full`
    const { status, stderr } = await promisify(execFile)('sh', ['-c', command, process.execPath, main]).then(
      () => ({ status: 0, stderr: '' }),
      (error) => ({ status: error.code, stderr: error.stderr }),
    )
    assert.equal(status, 3, args)
    assert.equal(stderr, 'rollcall: Standard output cannot be written: the disk is full.\n')
  }
})

test('the message of a command says whether nothing answers at an address, or a server that is not Rollcall', async (t) => {
  const { url } = await standIn(t, [foreignAnswer(200, '<h1>Welcome</h1>')])
  const nobody = `127.0.0.1:${await freePort()}`
  for (const [place, says] of [
    [url, `${url}/api/v1: An answer with status 200 that is not from the service.`],
    [`http://${nobody}`, `http://${nobody}/api/v1 cannot be reached: connect ECONNREFUSED ${nobody}.`],
  ] as const)
    assert.deepEqual(await rollcall(['todo', 'list', '--url', place]), {
      code: 1,
      out: '',
      err: `rollcall: ${says}\n`,
    })
})

test('--user and --token-file take precedence over a token in the environment, and an empty file is refused', async (t) => {
  const api = await startBasic(t)
  await enrol(api, 'mary', 'demodemo')
  const environment = { ROLLCALL_TOKEN: 'x', ROLLCALL_PASSWORD: 'demodemo' }
  const { folder, write } = openFolder()
  await write('token', '\n')
  const list = (...flags: readonly string[]) =>
    rollcall(['todo', 'list', '--url', api.url, ...flags], { environment, cwd: folder })
  assert.deepEqual([(await list()).code, (await list('--user', 'mary')).code], [1, 0])
  const { code, err } = await list('--token-file', 'token')
  assert.deepEqual([code, err], [2, 'rollcall: token holds no token.\n'])
})
