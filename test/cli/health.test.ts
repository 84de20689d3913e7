import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { numbered } from '../people.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

const fill = async (DATABASE_URL: string) => {
  const cwd = freshFolder()
  const run = (...args: readonly string[]) => rollcall(args, { cwd, environment: { DATABASE_URL } })
  await writeFile(
    join(cwd, 'people.ndjson'),
    `${JSON.stringify(numbered(1))}\n${JSON.stringify(numbered(2))}\n`,
  )
  await writeFile(join(cwd, 'todos.ndjson'), '{"todoTitle":"buy milk"}\n')
  for (const what of ['members people.ndjson', 'todos todos.ndjson'])
    assert.equal((await run('import', ...what.split(' '))).code, 0)
  assert.equal((await run('verify')).code, 0)
  return run
}

test('verify finds a flipped bit that leaves valid text, and names the record', async () => {
  const path = join(freshFolder(), 'rollcall.db')
  const run = await fill(`sqlite:${path}`)
  const original = await readFile(path)
  const ids = idsIn(path)
  const flips: readonly (readonly [string, string])[] = [
    ['Line one\nline two', `member ${ids.member}`],
    ['p2@example.com$argon2id$v=19$m=19456,t=2,p=1$P', `credential ${ids.member}`],
    ['buy milk', `todo ${ids.todo}`],
    ['"todoTitle":"buy milk', 'value of change 3'],
  ]
  for (const [text, named] of flips) {
    const flipped = Buffer.from(original)
    // A value of the history has the title too, in quotation marks.
    const inHistory = flipped.indexOf(`"${text}`)
    const first = flipped.indexOf(text)
    const at = (first === inHistory + 1 ? flipped.lastIndexOf(text) : first) + text.length - 1
    assert.ok(at >= text.length, `${text} is not in the file`)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
    await writeFile(path, flipped)
    assert.equal(integrityOf(path), 'ok')
    const { code, out } = await run('verify')
    assert.deepEqual([code, out.includes(`${named}: `)], [3, true], `${text}: ${out}`)
    assert.match(out, /checksum/)
  }
})

test('verify finds rows of PostgreSQL whose value has changed', { skip }, async (t) => {
  const url = await freshDatabase(t)
  const run = await fill(url)
  await administer(url, `UPDATE member SET address = 'Line one\nmine two'`)
  const { code, out } = await run('verify')
  assert.equal(code, 3, out)
  assert.equal(out.match(/member [-0-9a-f]{36}: it is not as it was written/g)?.length, 2, out)
})

test('doctor reports a PostgreSQL with fsync off as bad, and exits with 2', { skip }, async (t) => {
  const DATABASE_URL = await freshDatabase(t)
  const { code, out } = await rollcall(['doctor', '--json'], {
    environment: { DATABASE_URL, PORT: '0', MANAGEMENT_PORT: '0' },
  })
  // The PostgreSQL of the tests runs with fsync off.
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'durability')
  const says = 'fsync off: a crash of the machine may corrupt or lose everything'
  assert.deepEqual([code, found], [2, { check: 'durability', verdict: 'bad', says }])
})

test('a command on a missing database is refused and does not create it; doctor only notes it', async () => {
  const cwd = freshFolder()
  const path = join(cwd, 'mistyped.db')
  const environment = { DATABASE_URL: `sqlite:${path}` }
  const commandLines = [
    'verify',
    'export members',
    'import todos todos.csv --dry-run',
    `move --from sqlite:${path} --to sqlite:${path}.other`,
    'member list',
    'member show x',
    'todo list',
    'todo remove x',
  ]
  await writeFile(join(cwd, 'todos.csv'), 'todoTitle\nx')
  for (const words of commandLines) {
    const { code, err } = await rollcall(words.split(' '), { cwd, environment })
    assert.deepEqual([words, code, err.trim()], [words, 2, `rollcall: There is no database at ${path}.`])
  }
  const { code, out } = await rollcall(['doctor', '--json'], {
    cwd,
    environment: { ...environment, PORT: '0', MANAGEMENT_PORT: '0' },
  })
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'data')
  const says = `${path} does not exist; the service creates it when it starts`
  assert.deepEqual([code, found], [0, { check: 'data', verdict: 'look', says }])
  assert.deepEqual([path, `${path}.other`].filter(existsSync), [])
})

test('a database path that cannot be resolved (ELOOP) is reported as such, not as missing', async () => {
  const path = join(freshFolder(), 'a.db')
  await symlink(path, path)
  const environment = { DATABASE_URL: `sqlite:${path}`, PORT: '0', MANAGEMENT_PORT: 'off' }
  for (const words of ['verify', 'todo list', 'backup copy.db', 'export todos', 'doctor']) {
    const { code, out, err } = await rollcall(words.split(' '), { environment })
    assert.equal(code, 3, words)
    assert.match(out + err, /a\.db cannot be used: ELOOP: .*\.\n$/)
  }
})

const integrityOf = (path: string) => {
  using db = new DatabaseSync(path, { readOnly: true })
  return db.prepare('PRAGMA integrity_check').get()?.integrity_check
}

const idsIn = (path: string) => {
  using db = new DatabaseSync(path, { readOnly: true })
  const id = (text: string) => String(Object.values(db.prepare(text).get() ?? {})[0])
  return {
    member: id("SELECT member_id FROM credential WHERE sign_id = 'p2@example.com'"),
    todo: id('SELECT todo_id FROM todo'),
  }
}
