import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../harness.ts'
import { numberedMember } from '../people.ts'
import { childEnvironment, main } from '../program.ts'
import { alter, lines, openFolder } from './folder.ts'

test('an export in each format survives an import elsewhere unchanged, and its members sign in', async (t) => {
  const { url, good, write, read } = openFolder()
  await write('people.ndjson', lines(Array.from({ length: 150 }, (_, number) => numberedMember(number))))
  await write('tasks.ndjson', lines([{ todoTitle: 'open' }, { todoTitle: 'done, "really"', finished: true }]))
  await good(['import', 'members', 'people.ndjson', '--exact'], url('a.db'))
  await good(['import', 'todos', 'tasks.ndjson'], url('a.db'))
  for (const [what, formats] of [
    ['members', ['csv', 'json', 'ndjson']],
    ['todos', ['csv']],
  ] as const) {
    const said = await good(['export', what, `${what}.first.ndjson`, '--json'], url('a.db'))
    assert.equal(JSON.parse(said).records, what === 'members' ? 150 : 2)
    for (const format of formats) {
      await good(['export', what, `${what}.${format}`], url('a.db'))
      await good(['import', what, `${what}.${format}`, '--exact'], url(`${format}.db`))
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

/** Starts a move to b.db, and kills it half-way. */
const killDuringMove = async (folder: string, args: readonly string[]): Promise<void> => {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: childEnvironment })
  const path = join(folder, 'b.db')
  const size = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  while (size() < 300_000 && child.exitCode === null) await sleep(5)
  child.kill('SIGKILL')
  if (child.exitCode === null) await once(child, 'exit')
  if (child.signalCode === 'SIGKILL') return
  // It ended before it was killed: try again.
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(path + end, { force: true })
  return killDuringMove(folder, args)
}

test('`rollcall move` says which database it cannot read or write, and why', async () => {
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

test('verify refuses the target of an unfinished move, and the move completes when it is run again', async () => {
  const { folder, url, run, good, write } = openFolder()
  await write('people.ndjson', lines(Array.from({ length: 1_000 }, (_, number) => numberedMember(number))))
  await good(['import', 'members', 'people.ndjson', '--exact'], url('a.db'))
  const args = ['move', '--from', url('a.db'), '--to', url('b.db')]
  await killDuringMove(folder, args)
  const says = 'rollcall: A move to this database has not ended. Run `rollcall move` again'
  const verified = await run(['verify'], url('b.db'))
  assert.deepEqual([verified.code, verified.err.includes(says)], [3, true], verified.err)
  await write('other.ndjson', lines([numberedMember(0)]))
  await good(['import', 'members', 'other.ndjson', '--exact'], url('c.db'))
  const other = await run(['move', '--from', url('c.db'), '--to', url('b.db')], '')
  assert.deepEqual([other.code, other.err.includes('another database')], [2, true])
  await good(args, '')
  await good(['verify'], url('b.db'))
})

test('backup --keep keeps that many of its copies, names the removed ones, and touches no other file', async () => {
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
