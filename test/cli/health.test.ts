import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { numberedMember } from '../people.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { lines, openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

const fill = async (databaseUrl: string) => {
  const { run, good, write } = openFolder()
  await write('people.ndjson', lines([numberedMember(1), numberedMember(2)]))
  await write('todos.ndjson', lines([{ todoTitle: 'buy milk' }]))
  for (const line of ['import members people.ndjson --exact', 'import todos todos.ndjson', 'verify'])
    await good(line.split(' '), databaseUrl)
  return () => run(['verify'], databaseUrl)
}

test('verify finds a flipped bit that leaves valid text, and names the record', async () => {
  const path = join(freshFolder(), 'rollcall.db')
  const verify = await fill(`sqlite:${path}`)
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
    let first = flipped.indexOf(text)
    // A value of the history has the title too, in quotation marks.
    while (first > 0 && flipped.toString('latin1', first - 1, first) === '"')
      first = flipped.indexOf(text, first + 1)
    assert.ok(first > 0, `${text} is not in the file`)
    const at = first + text.length - 1
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at)
    await writeFile(path, flipped)
    assert.equal(integrityOf(path), 'ok')
    const { code, out } = await verify()
    assert.deepEqual([code, out.includes(`${named}: `)], [3, true], `${text}: ${out}`)
    assert.match(out, /checksum/)
  }
})

test('verify finds rows of PostgreSQL whose value has changed', { skip }, async (t) => {
  const url = await freshDatabase(t)
  const verify = await fill(url)
  await administer(url, `UPDATE member SET address = 'Line one\nmine two'`)
  const { code, out } = await verify()
  assert.equal(code, 3, out)
  assert.equal(out.match(/member [-0-9a-f]{36}: it is not as it was written/g)?.length, 2, out)
})

test('commands refuse a missing database without creating it; doctor only mentions it', async () => {
  const cwd = freshFolder()
  const path = join(cwd, 'mistyped.db')
  const environment = { DATABASE_URL: `sqlite:${path}` }
  const commandLines = [
    'verify',
    'export members',
    `move --from sqlite:${path} --to sqlite:${path}.other`,
    'member list',
    'member show x',
    'todo list',
    'todo remove x',
  ]
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
