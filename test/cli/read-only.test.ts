import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { freshDatabase, noPostgres } from '../postgres.ts'
import { alter, openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

const skip = await noPostgres()

const readingCommands = [
  ['verify'],
  ['export', 'members'],
  ['import', 'todos', import.meta.filename, '--dry-run'],
  ['todo', 'list'],
  ['member', 'list'],
  ['member', 'show', '01a1fdc8-f6d2-7f0c-9d0a-6c1f5f9f0e11'],
]

const open = () => {
  const { folder, ...others } = openFolder()
  const bytes = async () => {
    const names = await readdir(folder)
    return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')]))
  }
  return { ...others, folder, bytes }
}

test('reading a backup changes no byte of it and creates no file next to it', async () => {
  const { url, good, bytes } = open()
  await good(['todo', 'add', 'x'], url('a.db'))
  await good(['backup', 'b.db'], url('a.db'))
  const before = await bytes()
  assert.match(await good(['verify'], url('b.db')), /^The head of .*\nNo findings in .*\n$/)
  assert.match(await good(['changes'], url('b.db')), /todo\.created/)
  assert.match(await good(['todo', 'list'], url('b.db')), / x\n/)
  assert.match(await good(['export', 'todos'], url('b.db')), /"todoTitle":"x"/)
  assert.deepEqual(await bytes(), before)
})

test('reading tables of an earlier version is refused and leaves them unchanged', async () => {
  const { folder, url, run, good, bytes } = open()
  await good(['todo', 'add', 'x'], url('a.db'))
  alter(join(folder, 'a.db'), "DELETE FROM migration WHERE room = 'webhook' AND name = '002-branch'")
  const before = await bytes()
  for (const args of [...readingCommands, ['move', '--from', url('a.db'), '--to', url('b.db')]]) {
    const { code, err } = await run(args, url('a.db'))
    assert.equal(code, 3, `${args}: ${err}`)
    const isMove = args[0] === 'move'
    assert.match(
      err,
      isMove ? /earlier version/ : /a\.db are those of an earlier version\. `rollcall migrate`/,
    )
  }
  assert.deepEqual(await bytes(), before)
})

test('reading tables of a later version, or with an altered migration, is refused with the reason', async () => {
  const { folder, url, run, good } = open()
  await good(['todo', 'add', 'x'], url('a.db'))
  for (const [statement, says] of [
    [
      "UPDATE migration SET checksum = 'x' WHERE room = 'todo'",
      "with content that differs from this program's",
    ],
    ["INSERT INTO migration VALUES ('a', '999-later', 'x')", 'that this program does not know'],
  ] as const) {
    alter(join(folder, 'a.db'), statement)
    for (const args of readingCommands) {
      const { code, err } = await run(args, url('a.db'))
      assert.deepEqual([code, err.includes(says)], [3, true], `${args}: ${err}`)
    }
  }
})

test('reading an empty PostgreSQL database is refused and creates nothing in it', { skip }, async (t) => {
  const { run } = open()
  const postgres = await freshDatabase(t)
  const says = 'There are no tables of Rollcall in the database.'
  const refused = readingCommands.filter(([command]) => command !== 'import')
  for (const args of [...refused, refused[0] ?? []]) {
    const { code, err } = await run(args, postgres)
    assert.deepEqual([code, err], [3, `rollcall: ${says}\n`], args.join(' '))
  }
  const dry = await run(readingCommands[2] ?? [], postgres)
  assert.ok(dry.err.includes(`${says} An empty one is used in its place.`), dry.err)
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
