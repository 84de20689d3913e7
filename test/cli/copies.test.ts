import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../harness.ts'
import { serve } from '../operations/child.ts'
import { numbered } from '../people.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { main, surroundings } from '../program.ts'
import { openFolder, recordsOf } from './folder.ts'

const skip = await noPostgres()

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

test('a member whose hash another program made signs in, and then has one of ours', async (t) => {
  const { url, good, write } = openFolder()
  const passwordHash = '$2b$10$abcdefghijklmnopqrstuuYL44tCEuS7PsgHGqy111JSCMUikX/vO'
  await write('people.ndjson', lines([{ ...numbered(1), credential: { signId: 'mary', passwordHash } }]))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  await good(['verify'], url('a.db'))
  const login = { ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'adminadmin' }
  const service = await serve(t, { environment: { DATABASE_URL: url('a.db'), ...login } })
  const authorization = `Basic ${Buffer.from('mary:pässword demo').toString('base64')}`
  const { status } = await fetch(`${service.url}/api/v1/todos`, { headers: { authorization } })
  assert.equal(status, 200)
  service.kill('SIGINT')
  await service.exit
  const [member] = recordsOf(await good(['export', 'members'], url('a.db')))
  assert.match(member.credential.passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('an export in each format survives an import elsewhere unchanged, and its members sign in', async (t) => {
  const { url, good, write, read } = openFolder()
  await write('people.ndjson', lines(Array.from({ length: 700 }, (_, number) => numbered(number))))
  await write('tasks.ndjson', lines([{ todoTitle: 'open' }, { todoTitle: 'done, "really"', finished: true }]))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  await good(['import', 'todos', 'tasks.ndjson'], url('a.db'))
  for (const [what, formats] of [
    ['members', ['csv', 'json', 'ndjson']],
    ['todos', ['csv']],
  ] as const) {
    await good(['export', what, `${what}.first.ndjson`], url('a.db'))
    for (const format of formats) {
      await good(['export', what, `${what}.${format}`], url('a.db'))
      await good(['import', what, `${what}.${format}`], url(`${format}.db`))
      await good(['export', what, `${what}.${format}.ndjson`], url(`${format}.db`))
      assert.equal(await read(`${what}.${format}.ndjson`), await read(`${what}.first.ndjson`), format)
    }
  }
  await good(['verify'], url('csv.db'))
  assert.doesNotMatch(await good(['export', 'members', '--without-hashes'], url('csv.db')), /argon2/)
  const api = await startApp(t, {
    DATABASE_URL: url('csv.db'),
    ACCESS: 'basic',
    ADMIN_SIGN_ID: 'admin',
    ADMIN_PASSWORD: 'adminadmin',
  })
  const authorization = `Basic ${Buffer.from('P5@EXAMPLE.com:demodemo').toString('base64')}`
  assert.equal((await api('GET /todos', undefined, { authorization })).status, 200)
})

test('a refused record is reported with its line and reason, without quoting its content', async () => {
  const { url, run, write, read } = openFolder()
  const costlyHash = numbered(8).credential.passwordHash.replace('m=19456,', 'm=65536,')
  const records = [
    numbered(1),
    { ...numbered(2), genderCode: '9', emailAddress: 'x' },
    numbered(1),
    { ...numbered(3), credential: { signId: 's', passwordHash: '$2b$10$topsecret' } },
    { ...numbered(4), credential: { signId: 's', password: 'short' } },
    { ...numbered(5), credential: { signId: 's' } },
    { ...numbered(6), memberId: '1', nickname: 'x' },
    { ...numbered(7), credential: { signId: 'seven', password: 'long enough' } },
    { ...numbered(8), credential: { ...numbered(8).credential, passwordHash: costlyHash } },
  ]
  await write('people.ndjson', `${lines(records)}{"firstName":"topsecret"\n\n[]\n`)
  const ended = await run(['import', 'members', 'people.ndjson', '--json'], url('a.db'))
  assert.equal(ended.code, 1)
  assert.partialDeepStrictEqual(JSON.parse(ended.out), {
    written: 2,
    refused: 9,
    report: 'people.ndjson.refused.ndjson',
  })
  const report = await read('people.ndjson.refused.ndjson')
  assert.doesNotMatch(report, /topsecret/)
  assert.match(report, /must be of type argon2id, m times t at most 77824/)
  const refusals = recordsOf(report)
  const reasons = refusals.map(({ line, code, details = [] }) => [
    line,
    code,
    details.map((d: { target: string }) => d.target ?? '-').join(),
  ])
  assert.deepEqual(
    reasons.sort(([a], [b]) => a - b),
    [
      [2, 'e.xx.fw.7001', 'genderCode,emailAddress'],
      [3, 'e.xx.yy.8001', ''],
      [4, 'e.xx.fw.7001', 'credential.passwordHash'],
      [5, 'e.xx.fw.7001', 'credential.password'],
      [6, 'e.xx.fw.7001', 'credential.password'],
      [7, 'e.xx.fw.7003', 'nickname,memberId'],
      [9, 'e.xx.fw.7001', 'credential.passwordHash'],
      [10, 'e.xx.fw.7003', '-'],
      [12, 'e.xx.fw.7003', '-'],
    ],
  )
})

test('a syntax error is reported with its line and column, also by an import into a service', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t)
  await write('todos.ndjson', '{"todoTitle":"a"}\n\n{x}\n{"todoTitle":"a","todoTitle":"b"}\n')
  await write('todos.json', '[{"todoTitle":"牛乳"}, {x},\n {"todoTitle":\n  "b",,}]')
  const messagesOf = async (file: string, ...where: string[]) => {
    await run(['import', 'todos', file, ...where], url('a.db'))
    const report = (await read(`${file}.refused.ndjson`)).trim().split('\n')
    return report.map((line) => JSON.parse(line).details[0].message)
  }
  assert.deepEqual(await messagesOf('todos.ndjson'), [
    'Syntax error at line 3, column 2.',
    '"todoTitle" occurs twice at line 4, column 18.',
  ])
  assert.deepEqual(await messagesOf('todos.json'), [
    'Syntax error at line 1, column 23.',
    'Syntax error at line 3, column 7.',
  ])
  assert.deepEqual(await messagesOf('todos.json', '--url', api.url), await messagesOf('todos.json'))
})

test('a dry run validates, and writes nothing to the database', async () => {
  const { url, run, good, write } = openFolder()
  await good(['todo', 'add', 'first'], url('a.db'))
  await write('todos.csv', 'todoTitle,finished\r\na,true\r\nb,maybe\r\n"",\r\n')
  const { code, out } = await run(['import', 'todos', 'todos.csv', '--dry-run'], url('a.db'))
  assert.deepEqual([code, out], [1, '1 would be written, 2 refused; todos.csv.refused.ndjson says why.\n'])
  assert.equal((await good(['todo', 'list', '--json'], url('a.db'))).trim().split('\n').length, 1)
})

test('a dry run refuses the same records as the import after it, for the same reasons', async () => {
  const { url, run, good, write, read } = openFolder()
  const credential = { ...numbered(0).credential, signId: 'ＭＡＲＹ' }
  const memberId = '0198c2a4-0000-7000-8000-000000000001'
  const there = [{ ...numbered(1), memberId, credential: { ...credential, signId: 'mary' } }]
  const given = [
    numbered(2),
    { ...numbered(3), credential },
    { ...numbered(4), memberId },
    numbered(2),
    numbered(5),
  ]
  await write('there.ndjson', lines(there))
  await write('people.ndjson', lines(given))
  const todo = { todoId: memberId, todoTitle: 'once' }
  await write('todos.ndjson', lines([todo, todo]))
  await good(['import', 'members', 'there.ndjson'], url('a.db'))
  for (const [what, file, written, refused] of [
    ['members', 'people.ndjson', 2, 3],
    ['todos', 'todos.ndjson', 1, 1],
  ] as const) {
    const reports = []
    for (const manner of [['--dry-run'], ['--dry-run'], []]) {
      const { out } = await run(['import', what, file, '--json', ...manner], url('a.db'))
      assert.partialDeepStrictEqual(JSON.parse(out), { written, refused }, manner.join())
      reports.push(await read(`${file}.refused.ndjson`))
    }
    assert.deepEqual(reports, [reports[0], reports[0], reports[0]])
  }
})

interface Cut {
  readonly folder: string
  readonly args: readonly string[]
  /** The database that is written to, and how much of it is in its WAL when the command is killed. */
  readonly name: string
  readonly walBytes: number
}

/** Starts a command, and kills it half-way. */
const killDuring = async (cut: Cut): Promise<void> => {
  const { folder, args, name, walBytes } = cut
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: surroundings })
  const size = () => statSync(join(folder, `${name}-wal`), { throwIfNoEntry: false })?.size ?? 0
  while (size() < walBytes && child.exitCode === null) await sleep(5)
  child.kill('SIGKILL')
  if (child.exitCode === null) await once(child, 'exit')
  if (child.signalCode === 'SIGKILL') return
  // It ended before it was killed: try again.
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(join(folder, name + end), { force: true })
  return killDuring(cut)
}

const killDuringImport = (folder: string, databaseUrl: string) => {
  const args = ['import', 'todos', 'todos.ndjson', '--database-url', databaseUrl]
  return killDuring({ folder, args, name: 'a.db', walBytes: 1_500_000 })
}

test('a killed import resumes where it stopped: it writes every record once, and keeps what was refused before', async () => {
  const { folder, url, run, good, write, read } = openFolder()
  const todos = Array.from({ length: 20_000 }, (_, number) => ({ todoTitle: `todo ${number}` }))
  await write('todos.ndjson', lines([{ todoTitle: '' }, ...todos]))
  await killDuringImport(folder, url('a.db'))
  const again = await run(['import', 'todos', 'todos.ndjson', '--json'], url('a.db'))
  const { written, refused, skipped } = JSON.parse(again.out)
  assert.deepEqual([again.code, refused, written + skipped], [1, 1, 20_000], again.err)
  assert.ok(skipped > 0 && written > 0, 'the import was not cut off half-way')
  assert.match(await read('todos.ndjson.refused.ndjson'), /^\{"line":1,.*\}\n$/)
  const titles = recordsOf(await good(['export', 'todos'], url('a.db'))).map(({ todoTitle }) => todoTitle)
  assert.deepEqual([titles.length, new Set(titles).size], [20_000, 20_000])
})

const skipFull = existsSync('/dev/full') ? false : 'there is no /dev/full'

/** With this report an import ends at the first refusal that it writes. */
const cutOff = ['--report', '/dev/full']

test('an interrupted import of a one-line array resumes after the last element written', {
  skip: skipFull,
}, async () => {
  const { url, run, good, write, read } = openFolder()
  const todos = Array.from({ length: 700 }, (_, number) => ({
    todoTitle: number === 599 ? '' : `t${number}`,
  }))
  await write('todos.json', JSON.stringify(todos))
  const args = ['import', 'todos', 'todos.json', '--json']
  assert.equal((await run([...args, ...cutOff], url('a.db'))).code, 3)
  const again = await run(args, url('a.db'))
  assert.partialDeepStrictEqual(JSON.parse(again.out), { written: 199, refused: 1, skipped: 500 })
  assert.match(again.err, /Resuming after element 500/)
  assert.match(await read('todos.json.refused.ndjson'), /^\{"line":1,"element":600,.*\}\n$/)
  assert.equal((await good(['export', 'todos'], url('a.db'))).trim().split('\n').length, 699)
})

test('a duplicate is still reported after an import that was cut off at its report', {
  skip: skipFull,
}, async () => {
  const { url, run, write, read } = openFolder()
  const todo = { todoId: '0198c2a4-0000-7000-8000-000000000001', todoTitle: 'twice' }
  await write('todos.ndjson', lines([todo, todo]))
  const args = ['import', 'todos', 'todos.ndjson', '--json']
  assert.equal((await run([...args, ...cutOff], url('a.db'))).code, 3)
  const again = await run(args, url('a.db'))
  assert.partialDeepStrictEqual(JSON.parse(again.out), { written: 1, refused: 1, skipped: 0 })
  assert.match(await read('todos.ndjson.refused.ndjson'), /^\{"line":2,.*8002.*\}\n$/)
})

test('an import into a running service creates every record once, even if it is repeated', async (t) => {
  const { url, run, good, write, read } = openFolder()
  const service = await startApp(t)
  const people = Array.from({ length: 5 }, (_, number) => ({
    ...numbered(number),
    credential: { password: 'demodemo' },
  }))
  await write('people.ndjson', lines([...people, numbered(9)]))
  const first = await run(['import', 'members', 'people.ndjson', '--url', service.url, '--json'], url('b.db'))
  assert.partialDeepStrictEqual(JSON.parse(first.out), { written: 5, refused: 1, skipped: 0 })
  assert.match(await read('people.ndjson.refused.ndjson'), /"line":6.*accepts no hash/)
  const again = await run(['import', 'members', 'people.ndjson', '--url', service.url, '--json'], url('b.db'))
  assert.partialDeepStrictEqual(JSON.parse(again.out), { written: 0, refused: 1, skipped: 5 })
  assert.equal(
    (await good(['member', 'list', '--json', '--url', service.url], url('b.db'))).trim().split('\n').length,
    5,
  )
})

test('a repeated import leaves alone what others have changed since', async (t) => {
  const { url, run, good, write } = openFolder()
  const service = await startApp(t)
  const todos = ['kept', 'deleted', 'reopened'].map((todoTitle) => ({ todoTitle, finished: true }))
  await write('todos.ndjson', lines(todos))
  const args = ['import', 'todos', 'todos.ndjson', '--url', service.url, '--json']
  assert.partialDeepStrictEqual(JSON.parse((await run(args, url('b.db'))).out), { written: 3 })
  const list = () => good(['todo', 'list', '--json', '--url', service.url], url('b.db'))
  const found = recordsOf(await list())
  const idOf = (title: string) => found.find(({ todoTitle }) => todoTitle === title).todoId
  await fetch(`${service.url}/api/v1/todos/${idOf('deleted')}`, { method: 'DELETE' })
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const reopen = { method: 'PATCH', headers, body: '{"finished":false}' }
  await fetch(`${service.url}/api/v1/todos/${idOf('reopened')}`, reopen)
  const before = await list()
  const again = await run(args, url('b.db'))
  assert.deepEqual([again.code, JSON.parse(again.out).skipped], [0, 3], again.err)
  assert.equal(await list(), before)
})

test('a move to PostgreSQL and back keeps every member; idempotency keys and cursors stay valid', {
  skip,
}, async (t) => {
  const { url, run, good, write, read } = openFolder()
  const postgres = await freshDatabase(t)
  await write('people.ndjson', lines(Array.from({ length: 300 }, (_, number) => numbered(number))))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  const before = await serve(t, { environment: { DATABASE_URL: url('a.db') } })
  const [created, cursor] = await use(before.url)
  before.kill('SIGINT')
  await before.exit
  const moved = JSON.parse(await good(['move', '--from', url('a.db'), '--to', postgres, '--json'], ''))
  assert.equal(moved.find(({ name }: { name: string }) => name === 'members').count, 300)
  const full = await run(['move', '--from', url('a.db'), '--to', postgres], '')
  assert.deepEqual([full.code, full.err.includes('not empty')], [2, true])
  const mark = "room = 'move' AND name = 'unfinished'"
  await administer(postgres, "INSERT INTO migration VALUES ('move', 'unfinished', 'x')")
  assert.equal((await run(['serve', '--port', '0', '--management-port', 'off'], postgres)).code, 3)
  await administer(postgres, `DELETE FROM migration WHERE ${mark}`)
  const after = await serve(t, { environment: { DATABASE_URL: postgres } })
  assert.deepEqual((await use(after.url, cursor))[0], created, 'the same key got another answer')
  after.kill('SIGINT')
  await after.exit
  await good(['verify'], postgres)
  await good(['move', '--from', postgres, '--to', url('back.db')], '')
  await good(['export', 'members', 'first.ndjson'], url('a.db'))
  await good(['export', 'members', 'back.ndjson'], url('back.db'))
  assert.equal(await read('back.ndjson'), await read('first.ndjson'))
})

test('of two imports of a file at once, the one that stops leaves the report of the other as it is', {
  skip,
}, async (t) => {
  const { folder, run, good, write, read } = openFolder()
  const postgres = await freshDatabase(t)
  await good(['todo', 'add', 'a'], postgres)
  for (const [file, text, done, report] of [
    ['refused.csv', 'todoTitle\nb\n""\n', 0, '{"line":3,"code":"of the other"}\n'],
    ['accepted.csv', 'todoTitle\nb\nc\n', 2, ''],
  ] as const) {
    await write(file, text)
    await write(`${file}.refused.ndjson`, report)
    const name = `import todos ${realpathSync(join(folder, file))}`
    const begun = `VALUES ('${name}', '${name}', ${done || 3}, 1, '${consumed}')`
    const insert = `INSERT INTO progress (name, source, done, written, consumed) ${begun}`
    if (done > 0) await administer(postgres, insert)
    const moveOn = done > 0 ? `UPDATE progress SET done = 3 WHERE name = '${name}'` : insert
    const other = administer(postgres, whileWaitedFor('progress', moveOn))
    const { code, err } = await run(['import', 'todos', file], postgres)
    await other
    assert.equal(code, 2, err)
    assert.match(err, /Another import of \S+ is running, and goes on\. This one stops\.\n$/)
    assert.equal(await read(`${file}.refused.ndjson`), report)
  }
})

/** Names what an import has read once it has read the first line below the header. */
const consumed = createHash('sha256').update('2 [["todoTitle"],["b"]]\n').digest('base64url')

/** Holds a table until somebody waits to write to it, and then does this first. */
const whileWaitedFor = (table: string, statement: string) => `DO $$ BEGIN
  LOCK TABLE ${table} IN EXCLUSIVE MODE;
  FOR attempt IN 1..3000 LOOP
    EXIT WHEN EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass);
    PERFORM pg_sleep(0.01);
  END LOOP;
  ${statement};
END $$`

test('a half-finished move is refused by serve and verify, and completes when it is run again', async () => {
  const { folder, url, run, good, write } = openFolder()
  await write('people.ndjson', lines(Array.from({ length: 4_000 }, (_, number) => numbered(number))))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  const args = ['move', '--from', url('a.db'), '--to', url('b.db')]
  await killDuring({ folder, args, name: 'b.db', walBytes: 800_000 })
  const started = await run(['serve', '--port', '0', '--management-port', 'off'], url('b.db'))
  const says = 'rollcall: A move to this database has not ended. Run `rollcall move` again'
  assert.deepEqual([started.code, started.err.includes(says)], [3, true], started.err)
  const verified = await run(['verify'], url('b.db'))
  assert.deepEqual([verified.code, verified.err.includes(says)], [3, true], verified.err)
  await write('other.ndjson', lines([numbered(0)]))
  await good(['import', 'members', 'other.ndjson'], url('c.db'))
  const other = await run(['move', '--from', url('c.db'), '--to', url('b.db')], '')
  assert.deepEqual([other.code, other.err.includes('another database')], [2, true])
  await good(args, '')
  await good(['verify'], url('b.db'))
})

/** Creates a todo under an idempotency key, and follows a cursor. */
const use = async (url: string, cursor?: string) => {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'moved' }
  const posted = await fetch(`${url}/api/v1/todos`, { method: 'POST', headers, body: '{"todoTitle":"once"}' })
  const page = cursor === undefined ? '?cursor=&size=100' : new URL(cursor).search
  const listed = await fetch(`${url}/api/v1/members${page}`)
  assert.deepEqual([posted.status, listed.status], [201, 200])
  const { links } = (await listed.json()) as { links: { rel: string; href: string }[] }
  const next = links.find(({ rel }) => rel === 'next')?.href
  return [await posted.json(), next] as const
}
