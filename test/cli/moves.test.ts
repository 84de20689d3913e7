import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { withoutPassword } from '#src/cli/output.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { openFolder } from './folder.ts'

const skip = await noPostgres()

test('an import that was interrupted is resumed where its database was moved to, there and back', {
  skip,
}, async (t) => {
  const { url, run, good, write } = openFolder()
  const places = [url('a.db'), await freshDatabase(t), url('b.db')] as const
  const begin = 'todoTitle\na\n""\nb\n'
  await write('same.csv', `${begin}"c`)
  await write('corrected.csv', `${begin}d\n"e`)
  for (const file of ['same.csv', 'corrected.csv'])
    assert.equal((await run(['import', 'todos', file], places[0])).code, 2)
  for (const [from, to] of [places.slice(0, 2), places.slice(1)] as [string, string][]) {
    const moved = JSON.parse(await good(['move', '--from', from, '--to', to, '--json'], ''))
    assert.equal(moved.find(({ name }: { name: string }) => name === 'progress').count, 2)
  }
  await write('corrected.csv', `${begin}d\n"e"\n`)
  for (const place of places.slice(1)) {
    const same = await run(['import', 'todos', 'same.csv'], place)
    assert.match(same.err, /Resuming after line 4.*\n.*Records written before: 2;/)
    const corrected = await run(['import', 'todos', 'corrected.csv', '--json'], place)
    assert.partialDeepStrictEqual(JSON.parse(corrected.out), { written: 1, refused: 1, skipped: 3 })
    assert.equal((await good(['export', 'todos'], place)).trim().split('\n').length, 6)
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
    using db = new DatabaseSync(join(folder, name))
    if (room) db.prepare("INSERT INTO migration VALUES (?, 'unfinished', 'x')").run(room)
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

test('a target on PostgreSQL that holds tables of another program is named', { skip }, async (t) => {
  const { url, run, good } = openFolder()
  await good(['todo', 'add', 'x'], url('a.db'))
  for (const [statement, why] of [
    ['CREATE TABLE migration (id INTEGER)', 'column "checksum" does not exist'],
    ['CREATE TABLE member (id INTEGER)', 'relation "member" already exists'],
  ] as const) {
    const target = await freshDatabase(t)
    await administer(target, statement)
    const { code, err } = await run(['move', '--from', url('a.db'), '--to', target], '')
    const words = `The target, ${withoutPassword(target)}: Its tables cannot be those of Rollcall: ${why}.`
    assert.deepEqual([code, err.endsWith(`rollcall: ${words}\n`)], [3, true], err)
  }
})
