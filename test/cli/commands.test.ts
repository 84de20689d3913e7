import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { program } from '#src/cli/index.ts'
import { standIn } from '../client/stand-ins.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { fetchPatiently, type RunOptions, running, serve } from '../operations/child.ts'
import { numberedMember } from '../people.ts'
import { until } from '../postgres-notes.ts'
import { alter, recordsOf } from './folder.ts'
import { rollcall } from './warm.ts'

const open = (name = 'a.db') => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: `sqlite:${join(folder, name)}` }
  const run = async (args: readonly string[], options: RunOptions = {}) =>
    rollcall(args, { cwd: folder, ...options, environment: { ...environment, ...options.environment } })
  const good = async (args: readonly string[], options: RunOptions = {}) => {
    const ended = await run(args, options)
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.err}`)
    return ended.out
  }
  return { folder, environment, run, good, path: join(folder, name) }
}

const john = '--first-name John --last-name Smith --gender-code 1 --date-of-birth 1983-01-17'.split(' ')
const addJohn = ['member', 'add', ...john, '--email-address', 'John@example.com', '--json']

test('the commands add, list, show, change and remove members and todos in a database', async () => {
  const { folder, good, run } = open()
  const member = JSON.parse(await good(addJohn, { input: 'demodemo\n' }))
  assert.equal(member.credential.signId, 'john@example.com')
  assert.match(
    await good(['member', 'list', '--name', 'ｊｏｈｎ']),
    new RegExp(`${member.memberId}  John Smith`),
  )
  assert.equal(JSON.parse(await good(['member', 'show', member.memberId])).lastName, 'Smith')
  await good(['member', 'passwd', member.memberId, '--new-sign-id', 'js'], { input: 'newpassword\n' })
  assert.equal(JSON.parse(await good(['member', 'show', '--sign-id', 'ＪＳ'])).credential.signId, 'js')
  const former = await run(['member', 'show', '--sign-id', 'john@example.com'])
  assert.deepEqual([former.code, former.err], [1, 'rollcall: No member signs in as john@example.com.\n'])
  assert.equal(await good(['member', 'role', '--sign-id', 'js']), 'member\n')
  assert.equal(await good(['member', 'role', member.memberId, '--give', 'suspended']), 'suspended\n')
  assert.match((await run(['member', 'role', member.memberId, '--give', 'king'])).err, /Allowed choices/)
  await good(['member', 'remove', member.memberId])
  await good(['member', 'remove', member.memberId, '--erase'])
  const gone = await run(['member', 'show', member.memberId])
  assert.deepEqual(
    [gone.code, gone.err],
    [1, `rollcall: Specified member not found. member id : ${member.memberId}\n`],
  )
  const todo = JSON.parse(await good(['todo', 'add', 'Buy milk', '--json']))
  assert.equal(JSON.parse(await good(['todo', 'finish', todo.todoId, '--json'])).finished, true)
  assert.match(await good(['todo', 'list']), /✓ {2}\S+ {2}.* Buy milk/)
  await good(['todo', 'remove', todo.todoId])
  assert.match(await good(['todo', 'restore', todo.todoId]), /✓ {2}\S+ {2}.* Buy milk/)
  assert.match((await run(['todo', 'restore', todo.todoId])).err, /^rollcall: /)
  await good(['todo', 'remove', todo.todoId])
  assert.partialDeepStrictEqual(JSON.parse(await good(['me'])), { kind: 'anyone', id: null, until: null })
  assert.equal(await good(['todo', 'list', '--json']), '')
  const scopes = ['--scope', 'todos:read', '--scope', 'members:read']
  assert.match(await good(['key', 'add', 'report', ...scopes]), /^Added \S+\. .*\nrk_\S{43}\n$/)
  assert.match((await run(['key', 'add', 'report', '--scope', 'keys:create'])).err, /Allowed choices/)
  const [listed = ''] = (await good(['key', 'list', '--json'])).split('\n')
  const key = JSON.parse(listed)
  assert.deepEqual([key.name, key.scopes], ['report', ['todos:read', 'members:read']])
  assert.equal(await good(['key', 'change', key.keyId, '--name', 'weekly report']), `Changed ${key.keyId}.\n`)
  const narrowed = await good(['key', 'change', key.keyId, '--scope', 'todos:read', '--json'])
  assert.partialDeepStrictEqual(JSON.parse(narrowed), { name: 'weekly report', scopes: ['todos:read'] })
  const renewed = await good(['key', 'renew', key.keyId])
  assert.match(renewed, /^Changed \S+\. Copy the key now; it is not shown again:\nrk_\S{43}\n$/)
  const found = JSON.parse(await good(['key', 'list', '--json']))
  assert.notEqual(found.hint, key.hint)
  assert.ok(renewed.includes(found.hint))
  const type = ['--type', 'todo.created']
  const hook = ['webhook', 'add', 'https://receiver.invalid/', ...type, '--json']
  const { webhookId, secret, types } = JSON.parse(await good(hook))
  assert.deepEqual([secret.slice(0, 6), types], ['whsec_', ['todo.created']])
  assert.match(await good(['webhook', 'list']), /delivering +0 +https:..receiver.invalid/)
  assert.equal(JSON.parse(await good(['webhook', 'show', webhookId])).active, true)
  const paused = await good(['webhook', 'change', webhookId, '--active', 'false'])
  assert.equal(paused, `Changed ${webhookId}.\n`)
  assert.match(await good(['webhook', 'list']), /inactive +0 +https:..receiver.invalid/)
  const resumed = await good(['webhook', 'change', webhookId, '--active', 'true', '--type', '', '--json'])
  assert.partialDeepStrictEqual(JSON.parse(resumed), { active: true, types: null })
  assert.match((await run(['webhook', 'change', webhookId, '--active', 'no'])).err, /Allowed choices/)
  assert.equal(JSON.parse(await good(['key', 'show', key.keyId])).name, 'weekly report')
  assert.match(
    (await run([...hook.slice(0, 3), '--type', 'members'])).err,
    /^rollcall: --type: "types" must .* Choose from: .*member\.created, .*\.\n$/,
  )
  assert.match((await run(['webhook', 'add', 'http://a.example'])).err, /<url>: "url" must be an https/)
  assert.match((await run(['webhook', 'test', webhookId])).err, /The receiver did not accept it/)
  assert.match(await good(['webhook', 'deliveries', webhookId]), /\n\S+ +\S+ +webhook\.test +1 +\S/)
  const { deliveryId } = JSON.parse(await good(['webhook', 'deliveries', webhookId, '--json']))
  assert.match(
    (await run(['webhook', 'resend', webhookId, deliveryId])).err,
    /A webhook\.test is .* cannot be sent again/,
  )
  assert.match(
    await good(['webhook', 'renew', webhookId]),
    /^Changed \S+\. Copy its secret now; it is not shown again:\nwhsec_\S+\n$/,
  )
  assert.match(
    await good(['webhook', 'replay', webhookId, '--after', 'oldest']),
    /^Changes to be sent: [1-9]/,
  )
  await good(['export', 'webhooks', 'hooks.ndjson'])
  const exported = JSON.parse(await readFile(join(folder, 'hooks.ndjson'), 'utf8'))
  assert.deepEqual(Object.keys(exported), [
    ...['webhookId', 'url', 'types', 'description', 'active', 'values', 'createdAt'],
  ])
  await good(['webhook', 'remove', webhookId])
  await good(['import', 'webhooks', 'hooks.ndjson'])
  assert.match(await good(['webhook', 'list']), /lapsed +\? /)
  assert.match((await run(['webhook', 'test', webhookId])).out, /^the webhook has no secret/)
  await good(['webhook', 'replay', webhookId, '--after', 'latest'])
  assert.match(await good(['webhook', 'list']), /delivering +0 /)
  await good(['webhook', 'remove', webhookId])
  await good(['key', 'remove', key.keyId])
  assert.doesNotMatch(await good(['key', 'list']), /report/)
})

test('a refusal is shown in the words of the API, one line per field, with its flag', async () => {
  const { run } = open()
  const args = ['member', 'add', ...john.with(5, '9'), '--email-address', 'nobody']
  const { code, err } = await run(args, { input: 'short\n' })
  assert.equal(code, 1)
  assert.match(
    err,
    /^rollcall: --gender-code \(0 \(unknown\), 1 \(men\) or 2 \(women\)\): "genderCode".* Choose from: 0, 1, 2\.\n {2}--email-address \(an e-mail address\): "emailAddress".*\n {2}"credential.password".*\n$/,
  )
})

test('a refused title, sign id or password is reported under its argument, flag or prompt', async () => {
  const { run, good } = open()
  const { memberId } = JSON.parse(await good(addJohn, { input: 'demodemo\n' }))
  const { todoId } = JSON.parse(await good(['todo', 'add', 'Buy milk', '--json']))
  const passwd = ['member', 'passwd', memberId]
  for (const [args, input, start] of [
    [['todo', 'add', ''], '', '<title> (1 to 30 characters): "todoTitle" '],
    [['todo', 'rename', todoId, ''], '', '<title> (1 to 30 characters): "todoTitle" '],
    [['todo', 'change', todoId, '--todo-title', ''], '', '--todo-title (1 to 30 characters): "todoTitle" '],
    [['member', 'show', '--sign-id', ''], '', '--sign-id: "signId" '],
    [passwd, 'short', 'New password: "password" '],
    [[...passwd, '--new-sign-id', 'x'.repeat(257)], 'demodemo', '--new-sign-id: "signId" '],
  ] as const) {
    const { code, err } = await run(args, { input })
    assert.equal(code, 1, err)
    assert.ok(err.startsWith(`rollcall: ${start}`), err)
  }
})

test('member change, todo rename and todo reopen work on a database and on a service', async (t) => {
  const api = await startApp(t)
  const { good, run } = open()
  for (const where of [[], ['--url', api.url]]) {
    const { memberId } = JSON.parse(await good([...addJohn, ...where], { input: 'demodemo\n' }))
    const change = ['member', 'change', memberId, ...where]
    await good([...change, '--address', 'Kyoto', '--first-name', 'Jack'])
    const changed = JSON.parse(await good([...change, '--zip-code', '', '--json']))
    assert.partialDeepStrictEqual(changed, {
      firstName: 'Jack',
      lastName: 'Smith',
      zipCode: '',
      address: 'Kyoto',
    })
    const refused = await run([...change, '--date-of-birth', '1983-13-17'])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^rollcall: --date-of-birth \(yyyy-MM-dd\): "dateOfBirth" .*\n$/)
    const { todoId } = JSON.parse(await good(['todo', 'add', 'Buy milk', '--json', ...where]))
    await good(['todo', 'finish', todoId, ...where])
    const reopened = JSON.parse(await good(['todo', 'reopen', todoId, '--json', ...where]))
    assert.equal(reopened.finished, false)
    assert.match(await good(['todo', 'rename', todoId, 'Buy bread', ...where]), /· .* Buy bread\n/)
    for (const id of ['john@example.com', 'a/b', '$&', '50%']) {
      const { err } = await run(['member', 'show', id, ...where])
      assert.equal(err, `rollcall: Specified member not found. member id : ${id}\n`)
    }
  }
})

test('commands refuse a database in use by a service, and the refusal of todo list mentions --url', async (t) => {
  const { run, good, environment, folder } = open()
  const service = await serve(t, { environment })
  for (const args of [
    ['todo', 'list'],
    ['verify'],
    ['import', 'todos', 'none.ndjson'],
    ['restore', 'copy.db', '--replace'],
    ['restore', 'a.db', '--database-url', 'sqlite:b.db'],
  ]) {
    await writeFile(join(folder, 'none.ndjson'), '')
    await writeFile(join(folder, 'copy.db'), 'a backup')
    const { code, err } = await run(args)
    assert.equal(code, 3, args.join(' '))
    assert.match(err, /in use by another process/)
  }
  assert.match((await run(['todo', 'list'])).err, /with --url/)
  await good(['todo', 'add', 'x', '--url', service.url])
})

test('a backup taken during writes is consistent and holds every write acknowledged before it', async (t) => {
  const { run, good, environment, folder } = open()
  const service = await serve(t, { environment })
  const acknowledged: string[] = []
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      const body = JSON.stringify({ todoTitle: `t${acknowledged.length}` })
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetchPatiently(`${service.url}/api/v1/todos`, { method: 'POST', headers, body })
      const todo = (await answer.json()) as { todoId: string }
      assert.equal(answer.status, 201, JSON.stringify(todo))
      acknowledged.push(todo.todoId)
    }
  })()
  while (acknowledged.length < 50) await new Promise((resolve) => setTimeout(resolve, 10))
  let before: number
  do {
    // A machine that is too busy may refuse all writes of one backup.
    await rm(join(folder, 'copy.db'), { force: true })
    before = acknowledged.length
    await good(['backup', 'copy.db'])
  } while (acknowledged.length === before)
  isWriting = false
  await writing
  service.kill('SIGINT')
  await service.exit
  assert.equal((await run(['backup', 'copy.db'])).code, 2)
  assert.match(await good(['restore', 'copy.db', '--replace']), /The previous database is now .*\.before-/)
  const kept = recordsOf(await good(['todo', 'list', '--json'])).map((one) => one.todoId)
  assert.deepEqual(kept, acknowledged.slice(0, kept.length))
  assert.ok(kept.length >= before)
  await good(['verify'])
  assert.equal((await stat(join(folder, 'copy.db'))).mode & 0o077, 0, 'others can read the backup')
})

test('changes are shown, followed and resumed, from a database and from a service', async (t) => {
  const { run, good, environment, path } = open()
  for (const title of ['a', 'b', 'c']) await good(['todo', 'add', title])
  const all = await run(['changes'])
  assert.match(
    all.out,
    /^1 {2}\S+Z {2}todo\.created \S+ version 1 \(todoTitle, finished\) by anyone {2}\w+\n2 /,
  )
  const cursor = /--after (\S+)/.exec(all.err)?.[1] ?? ''
  await good(['todo', 'add', 'd'])
  const rest = recordsOf(await good(['changes', '--json', '--after', cursor]))
  assert.deepEqual(
    rest.map(({ sequence, cursor }) => sequence ?? typeof cursor),
    ['4', 'string'],
  )
  const verified = await good(['verify'])
  const head = /The head of the changes is (4:[0-9a-f]{64})\./.exec(verified)?.[1] ?? ''
  await good(['verify', '--head', head])
  assert.equal((await run(['verify', '--head', '4'])).code, 2)
  alter(path, `UPDATE change SET changed_by = 'nobody' WHERE number = 4`)
  assert.equal((await run(['verify', '--head', head])).code, 3)
  const service = await serve(t, { environment })
  const wrong = await run(['changes', '--url', service.url, '--after', 'x'])
  assert.deepEqual([wrong.code, /--after/.test(wrong.err)], [1, true], wrong.err)
  assert.equal(recordsOf(await good(['changes', '--json', '--url', service.url])).length, 5)
})

for (const flags of [[], ['--json']])
  test(`${['changes --follow', ...flags].join(' ')} prints its cursor when it is stopped, and a run from this cursor misses no change`, async (t) => {
    const api = await startApp(t)
    const args = ['changes', '--url', api.url, ...flags]
    const add = (todoTitle: string) => api('POST /todos', { todoTitle })
    await add('a')
    const { child, ended } = running([...args, '--follow'])
    let seen = ''
    child.stdout.on('data', (text) => {
      seen += text
    })
    for (const count of [1, 2]) {
      await until(() => seen.match(/todo\.created/g)?.length === count)
      await add('b')
    }
    await until(() => seen.match(/todo\.created/g)?.length === 3)
    child.kill('SIGINT')
    const { code, err, out } = await ended
    const [, cursor = ''] = /^To continue: --after (\S+)\n$/.exec(err) ?? []
    assert.deepEqual([code, cursor.length], [0, 22], err)
    if (flags.length > 0) assert.deepEqual(recordsOf(out).at(-1), { cursor })
    await add('c')
    const rest = await rollcall([...args, '--after', cursor])
    assert.equal(rest.out.match(/todo\.created/g)?.length, 1)
  })

test('changes --follow --after latest prints its cursor at once', async (t) => {
  const api = await startApp(t)
  const { child, ended } = running(['changes', '--url', api.url, '--follow', '--after', 'latest', '--json'])
  const [first] = await once(child.stdout, 'data')
  await api('POST /todos', { todoTitle: 'a' })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  const { cursor } = JSON.parse(String(first))
  const rest = recordsOf((await rollcall(['changes', '--url', api.url, '--after', cursor, '--json'])).out)
  assert.deepEqual(rest[0].type, 'todo.created')
})

test('verify finds invalid rows, orphaned credentials and rows changed since they were written', async () => {
  const { run, good, path } = open()
  const { memberId } = JSON.parse(await good(addJohn, { input: 'demodemo\n' }))
  const todo = JSON.parse(await good(['todo', 'add', 'x', '--json']))
  await good(['verify'])
  const planted: readonly [string, string, RegExp][] = [
    [
      `UPDATE member SET searchable_name = 'x'`,
      `UPDATE member SET searchable_name = 'john smith' || char(31) || 'smith john'`,
      /its searchable name does not follow/,
    ],
    [
      `UPDATE credential SET sign_id_folded = 'x'`,
      `UPDATE credential SET sign_id_folded = 'john@example.com'`,
      /: its sign id folded does not follow from its other values\n.*\n1 finding in sqlite:.*\.\n$/,
    ],
    [
      `UPDATE member SET gender_code = '7'`,
      `UPDATE member SET gender_code = '1'`,
      /its gender code is not valid\n.*\n.*\n.*\n3 findings in sqlite:.*\.\n$/,
    ],
    [
      `UPDATE member SET address = char(7)`,
      `UPDATE member SET address = NULL`,
      /its address is not valid\n.*\n.*\n.*\n3 findings in sqlite:.*\.\n$/,
    ],
    [`UPDATE todo SET todo_title = ''`, `UPDATE todo SET todo_title = 'x'`, /its todo title is not valid/],
    [
      `UPDATE todo SET todo_title = 'y'`,
      `UPDATE todo SET todo_title = 'x'`,
      /todo .*: it is not as it was written/,
    ],
    [
      `UPDATE credential SET member_id = '01a1fe54-c24d-75af-93f8-59e8afe7c48e'`,
      `UPDATE credential SET member_id = '${memberId}'`,
      /a credential without its member/,
    ],
  ]
  for (const [breaking, mending, words] of planted) {
    alter(path, breaking)
    const { code, out } = await run(['verify'])
    assert.equal(code, 3, breaking)
    assert.match(out, words)
    alter(path, mending)
  }
  await good(['verify'])
  assert.ok(todo.todoId)
})

test('config shows each setting with its source, and no secrets', async () => {
  const { good, folder } = open()
  await writeFile(
    join(folder, 'settings'),
    'LOCALE=ja\nACCESS=basic\nADMIN_SIGN_ID=admin\nADMIN_PASSWORD=topsecret\n',
  )
  const environment = {
    PAGE_SIZE_MAX: '50',
    DATABASE_URL: 'postgres://u:topsecret@db/rollcall',
    SETTINGS_FILE: 'settings',
  }
  const out = await good(['config', '--json', '--port', '9000'], { environment })
  assert.doesNotMatch(out, /topsecret/)
  const shown = new Map(JSON.parse(out).map((one: { name: string }) => [one.name, one]))
  for (const [name, value, source] of [
    ['PORT', '9000', 'flag'],
    ['PAGE_SIZE_MAX', '50', 'environment'],
    ['LOCALE', 'ja', 'file'],
    ['TIME_ZONE', 'UTC', 'default'],
    ['ADMIN_PASSWORD', '***', 'file'],
  ])
    assert.partialDeepStrictEqual(shown.get(name), { value, source })
  const table = await good(['config'], { environment })
  assert.doesNotMatch(table, /topsecret/)
  for (const unset of ['PUBLIC_URL', 'ALLOWED_HOSTS', 'CORS_ORIGINS'])
    assert.match(table, new RegExp(`^${unset} +– +default`, 'm'))
})

test('export reads members and todos from a running service, and import brings todos to another', async (t) => {
  const [from, to] = [await startApp(t, { TIME_ZONE: '+09:00' }), await startApp(t)]
  const { folder, run, good } = open()
  await from('POST /members', { ...numberedMember(1), credential: { signId: 'p1', password: 'demodemo' } })
  await from('POST /todos', { todoTitle: 'a, "b"' })
  const { body } = await from('POST /todos', { todoTitle: '牛乳' })
  await from(`PUT /todos/${(body as { todoId: string }).todoId}`)

  const refused = await run(['export', 'members', '--url', from.url])
  assert.deepEqual([refused.code, refused.out], [2, ''])
  assert.match(refused.err, /A service never gives out hashes: add --without-hashes/)
  const members = await good(['export', 'members', '-', '--without-hashes', '--url', from.url])
  assert.equal(JSON.parse(members).credential.signId, 'p1')

  const [json, csv] = [join(folder, 'todos.json'), join(folder, 'todos.csv')]
  for (const file of [json, csv]) await good(['export', 'todos', file, '--url', from.url])
  await good(['import', 'todos', csv, '--url', to.url])
  const brought = (await to('GET /todos')).body as readonly { todoTitle: string; finished: boolean }[]
  assert.deepEqual(brought.map(({ todoTitle, finished }) => [todoTitle, finished]).toSorted(), [
    ['a, "b"', false],
    ['牛乳', true],
  ])
  await good(['import', 'todos', json])
  assert.match(await good(['todo', 'list', '--finished', 'true']), /牛乳/)
  assert.match(await good(['todo', 'list', '--title', '乳']), /牛乳/)
  assert.doesNotMatch(await good(['todo', 'list', '--title', 'x']), /牛乳/)
})

test('an unknown command exits with 2, and every spelling of help works', async () => {
  const { run, good } = open()
  for (const [words, path] of [
    ['nosuch', 'nosuch'],
    ['help import nosuch', undefined],
    ['help todo add', undefined],
    ['todo add --help', undefined],
    ['help', undefined],
    ['todo help', undefined],
    ['--help', undefined],
  ] as const) {
    if (path === undefined) assert.match(await good(words.split(' ')), /^Usage: rollcall/)
    else {
      const { code, out, err } = await run(words.split(' '))
      const says = `rollcall: unknown command '${path}'\nIf this is a command of a resource of your own, name its module with --resources or RESOURCES.\n`
      assert.deepEqual([words, code, out, err], [words, 2, '', says])
    }
  }
  assert.match((await run(['ser'])).err, /unknown command 'ser'\n\(Did you mean serve\?\)/)
})

test('a list ends after --limit items and reads no further page', async (t) => {
  const { run, good, folder } = open()
  const todos = Array.from({ length: 250 }, (_, at) => JSON.stringify({ todoTitle: `todo ${at}` }))
  await writeFile(join(folder, 'todos.ndjson'), todos.join('\n'))
  await good(['import', 'todos', 'todos.ndjson'])
  await good(addJohn, { input: 'demodemo\n' })
  for (const limit of [1, 100, 120, 250]) {
    const json = (await good(['todo', 'list', '--json', '--limit', String(limit)])).trim().split('\n')
    assert.equal(json.length, limit)
    assert.equal(JSON.parse(json.at(-1) ?? '').todoTitle, `todo ${limit - 1}`)
    const rows = (await good(['todo', 'list', '--limit', String(limit)])).trim().split('\n')
    assert.equal(rows.length, limit + 1, 'and the header')
  }
  assert.equal((await good(['todo', 'list', '--json', '--limit', '999'])).trim().split('\n').length, 250)
  assert.match(await good(['member', 'list', '--limit', '1', '--json']), /^{"memberId":.*\n$/)
  for (const wrong of ['0', '-1', '1.5', 'ten', '1e3']) {
    const { code, err } = await run(['member', 'list', '--limit', wrong])
    assert.equal(code, 2, wrong)
    assert.match(err, /--limit.*whole number from 1/)
  }
  const asked: unknown[] = []
  const content = [{ todoId: '1', todoTitle: 'a', finished: false, createdAt: '2026-11-21T06:45:00.123Z' }]
  const links = [{ rel: 'next', href: 'http://127.0.0.1/api/v1/todos?cursor=x&size=1' }]
  const page = JSON.stringify({ content, size: 1, numberOfElements: 1, links })
  const { url } = await standIn(t, [
    (outgoing) => {
      asked.push(outgoing.req.url)
      outgoing.writeHead(200, { 'Content-Type': 'application/json', 'X-Track': 'one' }).end(page)
    },
  ])
  await good(['todo', 'list', '--limit', '1', '--url', url])
  assert.deepEqual(asked, ['/api/v1/todos?size=1&cursor='])
})

test('every command has help with an example, and bash, zsh and fish have completion', async () => {
  const { commands } = await program()
  assert.ok(commands.length >= 14)
  for (const command of commands.flatMap((one) => [one, ...one.commands]))
    assert.match(helpOf(command), /Examples?:\n {2}.*rollcall/, command.name())
  const { good, run } = open()
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(await good(['completion', shell]), /member/)
  assert.equal((await run(['completion', 'tcsh'])).code, 2)
  assert.equal(JSON.parse(await good(['openapi'])).openapi.slice(0, 3), '3.1')
})

const helpOf = (command: Command | undefined) => {
  let help = ''
  const writeOut = (text: string) => {
    help += text
  }
  command?.configureOutput({ writeOut }).outputHelp()
  return help
}
