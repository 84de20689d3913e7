import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { allRecords } from '#src/cli/data.ts'
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

test('a half-done move of an earlier version names the database concerned, and its words lead to an end', async () => {
  const { folder, url, run, good, write } = openFolder()
  await write('empty.ndjson', '')
  const migrate = (name: string) => good(['import', 'todos', 'empty.ndjson'], url(name))
  await good(['todo', 'add', 'x'], url('a.db'))
  await migrate('b.db')
  const mark = await markOfEarlierVersion(url('a.db'))
  for (const name of ['a.db', 'b.db']) {
    using db = new DatabaseSync(join(folder, name))
    db.exec("DELETE FROM migration WHERE room = 'ledger' AND name = '005-progress-consumed'")
    for (const column of ['consumed', 'refused']) db.exec(`ALTER TABLE progress DROP COLUMN ${column}`)
    if (name === 'b.db') db.prepare("INSERT INTO migration VALUES ('move', 'unfinished', ?)").run(mark)
  }
  const args = ['move', '--from', url('a.db'), '--to', url('b.db')]
  const source = await run(args, '')
  assert.equal(source.code, 3)
  assert.ok(source.err.startsWith(`rollcall: The source, ${url('a.db')}: Its tables are those of an earlier`))
  assert.match(source.err, /start this version on it once, .* move it to an empty database\.\n$/)
  await migrate('a.db')
  const target = await run(args, '')
  assert.equal(target.code, 2, target.err)
  assert.ok(
    target.err.startsWith(`rollcall: The target, ${url('b.db')}, holds an unfinished move`),
    target.err,
  )
  assert.match(target.err, /or by another version of Rollcall\. Empty it/)
  const started = await run(['serve', '--port', '0', '--management-port', 'off'], url('b.db'))
  assert.equal(started.code, 3)
  assert.match(started.err, /Run `rollcall move` again: .* Rollcall has changed since, empty this database/)
  for (const end of ['', '-wal', '-shm', '.lock']) rmSync(join(folder, `b.db${end}`), { force: true })
  await good(args, '')
  await good(['verify'], url('b.db'))
})

/** What versions whose tables had fewer columns wrote into the target of a move. */
const markOfEarlierVersion = async (url: string) => {
  const hash = createHash('sha256')
  const db = await openDatabase(url)
  for (const records of allRecords(db))
    for await (const batch of records.stream()) hash.update(JSON.stringify(batch))
  await db.close()
  return hash.digest('base64url')
}

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
    assert.deepEqual([code, err], [3, `rollcall: ${words}\n`])
  }
})
