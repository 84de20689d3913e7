import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../harness.ts'
import { serve } from '../operations/child.ts'
import { numbered } from '../people.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { main, surroundings } from '../program.ts'
import { alter, lines, openFolder, recordsOf } from './folder.ts'

const skip = await noPostgres()

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
    const said = await good(['export', what, `${what}.first.ndjson`, '--json'], url('a.db'))
    assert.equal(JSON.parse(said).records, what === 'members' ? 700 : 2)
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

const hashOfAnotherProgram = '$2b$10$abcdefghijklmnopqrstuuYL44tCEuS7PsgHGqy111JSCMUikX/vO'

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
    { ...numbered(7), credential: { signId: 'seven', passwordHash: hashOfAnotherProgram } },
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

test('a dry run before the first start checks against an empty database, and creates none', async () => {
  const { folder, url, run, write } = openFolder()
  await write('todos.csv', 'todoTitle\na\n""\n')
  const { code, out, err } = await run(['import', 'todos', 'todos.csv', '--dry-run'], url('none.db'))
  assert.deepEqual([code, out], [1, '1 would be written, 1 refused; todos.csv.refused.ndjson says why.\n'])
  assert.match(err, /^There is no database at .*none\.db\. The file is checked against an empty one\.$/m)
  assert.equal(existsSync(join(folder, 'none.db')), false)
})

/** Starts a move to b.db, and kills it half-way. */
const killDuringMove = async (folder: string, args: readonly string[]): Promise<void> => {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: surroundings })
  const path = join(folder, 'b.db')
  const size = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  while (size() < 800_000 && child.exitCode === null) await sleep(5)
  child.kill('SIGKILL')
  if (child.exitCode === null) await once(child, 'exit')
  if (child.signalCode === 'SIGKILL') return
  // It ended before it was killed: try again.
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(path + end, { force: true })
  return killDuringMove(folder, args)
}

test('a duplicate is still reported after an import that was cut off at its report', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full',
}, async () => {
  const { url, run, write, read } = openFolder()
  const todo = { todoId: '0198c2a4-0000-7000-8000-000000000001', todoTitle: 'twice' }
  await write('todos.ndjson', lines([todo, todo]))
  const args = ['import', 'todos', 'todos.ndjson', '--json']
  assert.equal((await run([...args, '--report', '/dev/full'], url('a.db'))).code, 3)
  const again = await run(args, url('a.db'))
  assert.partialDeepStrictEqual(JSON.parse(again.out), { written: 1, refused: 1, skipped: 0 })
  assert.match(await read('todos.ndjson.refused.ndjson'), /^\{"line":2,.*8002.*\}\n$/)
})

test('a move to PostgreSQL and back keeps every member; idempotency keys and cursors stay valid, and a cut import is resumed there', {
  skip,
}, async (t) => {
  const { url, run, good, write, read } = openFolder()
  const postgres = await freshDatabase(t)
  await write('people.ndjson', lines(Array.from({ length: 300 }, (_, number) => numbered(number))))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  await write('cut.csv', 'todoTitle\na\n""\nb\n"c')
  assert.equal((await run(['import', 'todos', 'cut.csv'], url('a.db'))).code, 2)
  const before = await serve(t, { environment: { DATABASE_URL: url('a.db') } })
  const [created, cursor] = await use(before.url)
  before.kill('SIGINT')
  await before.exit
  const moved = JSON.parse(await good(['move', '--from', url('a.db'), '--to', postgres, '--json'], ''))
  assert.equal(moved.find(({ name }: { name: string }) => name === 'members').count, 300)
  const full = await run(['move', '--from', url('a.db'), '--to', postgres], '')
  assert.deepEqual([full.code, full.err.includes('not empty')], [2, true])
  const after = await serve(t, { environment: { DATABASE_URL: postgres } })
  assert.deepEqual((await use(after.url, cursor))[0], created, 'the same key got another answer')
  after.kill('SIGINT')
  await after.exit
  await good(['verify'], postgres)
  await good(['move', '--from', postgres, '--to', url('back.db')], '')
  await good(['export', 'members', 'first.ndjson'], url('a.db'))
  await good(['export', 'members', 'back.ndjson'], url('back.db'))
  assert.equal(await read('back.ndjson'), await read('first.ndjson'))
  for (const place of [postgres, url('back.db')]) {
    const { err } = await run(['import', 'todos', 'cut.csv'], place)
    assert.match(err, /Resuming after line 4.*\n.*Records written before: 2;/)
  }
})

test('a database that cannot be moved, or moved to, is named with the reason', async () => {
  const { folder, url, run, good } = openFolder()
  for (const [name, room] of [
    ['whole.db', undefined],
    ['half.db', 'move'],
    ['later.db', 'later'],
  ] as const) {
    await good(['todo', 'add', 'x'], url(name))
    if (room) alter(join(folder, name), `INSERT INTO migration VALUES ('${room}', 'unfinished', 'x')`)
  }
  for (const [from, to, says] of [
    ['half.db', 'new.db', `The source, ${url('half.db')}: A move to this database has not ended.`],
    ['later.db', 'new.db', `The source, ${url('later.db')}: The database has the migration later/unfinished`],
    [
      'whole.db',
      'later.db',
      `The target, ${url('later.db')}: The database has the migration later/unfinished`,
    ],
  ] as const) {
    const { code, err } = await run(['move', '--from', url(from), '--to', url(to)], '')
    assert.deepEqual([code, err.startsWith(`rollcall: ${says}`)], [3, true], err)
  }
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

test('a half-finished move is refused by verify, and completes when it is run again', async () => {
  const { folder, url, run, good, write } = openFolder()
  await write('people.ndjson', lines(Array.from({ length: 4_000 }, (_, number) => numbered(number))))
  await good(['import', 'members', 'people.ndjson'], url('a.db'))
  const args = ['move', '--from', url('a.db'), '--to', url('b.db')]
  await killDuringMove(folder, args)
  const says = 'rollcall: A move to this database has not ended. Run `rollcall move` again'
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

test('--keep leaves so many copies that it made, names those that it removed, and touches no other file', async () => {
  const { folder, url, run, good, write } = openFolder()
  await good(['todo', 'add', 'x'], url('a.db'))
  const copy = (name: string, ...more: string[]) => good(['backup', name, ...more], url('a.db'))
  await copy('r-2026-11-01.db')
  await copy('r-2026-11-02.db', '--keep', '2')
  await copy('other-2026-11-02.db', '--keep', '2')
  await copy('r-2026-11-03.db', '--keep', '2')
  await write('r-2026-11-04.db.txt', 'a note')
  const said = JSON.parse(await copy('r-2026-11-05.db', '--keep', '2', '--json'))
  assert.deepEqual(said.removed, ['r-2026-11-02.db'])
  await write('r-2026-11-03.db', 'put here by somebody')
  await copy('r-2026-11-06.db', '--keep', '2')
  assert.match(await copy('r-2026-11-07.db', '--keep', '2'), /\nRemoved r-2026-11-05\.db\.\n$/)
  const left = ['other-2026-11-02.db', 'r-2026-11-01.db', 'r-2026-11-03.db', 'r-2026-11-04.db.txt']
  const names = readdirSync(folder).filter((name) => /^(r|other)-/.test(name))
  assert.deepEqual(names.sort(), [...left, 'r-2026-11-06.db', 'r-2026-11-07.db'])
  for (const [args, why] of [
    [['copy.db', '--keep', '2'], /needs a date in the name/],
    [['copy-1.db', '--keep', '0'], /whole number from 1/],
  ] as const)
    assert.match((await run(['backup', ...args], url('a.db'))).err, why)
  assert.ok(!existsSync(join(folder, 'copy-1.db')))
})
