import assert from 'node:assert/strict'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openFolder } from './folder.ts'

const doctor = ['doctor', '--port', '0', '--management-port', 'off']

test('every command that meets damage names the file and says what to do', async () => {
  const { folder, url, run, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  spoil(join(folder, 'a.db'), 'todo')
  const sentence = /^(rollcall: )?(bad +data +)?\S*a\.db is damaged\. Restore it from a backup\.$/m
  for (const args of [
    ['todo', 'list'],
    ['todo', 'add', 'b'],
    ['export', 'todos', 'todos.ndjson'],
    ['backup', 'copy.db'],
    ['verify'],
    ['move', '--from', url('a.db'), '--to', url('other.db')],
    doctor,
  ]) {
    const { code, out, err } = await run(args, url('a.db'))
    assert.deepEqual([code, sentence.test(out + err)], [3, true], `${args}: ${out}${err}`)
  }
})

test('a backup that is damaged itself is refused with advice to restore another one', async () => {
  const { folder, url, run, good, write } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  await good(['backup', 'copy.db'], url('a.db'))
  spoil(join(folder, 'copy.db'), 'todo')
  await write('empty.db', '')
  for (const [name, sentence] of [
    ['copy.db', 'copy.db is damaged. Restore another backup.'],
    ['empty.db', 'empty.db has no bytes at all. Restore another backup.'],
  ] as const) {
    const { code, err } = await run(['restore', name, '--replace'], url('a.db'))
    assert.deepEqual([code, err], [3, `rollcall: ${sentence}\n`])
  }
  assert.match(await good(['todo', 'list'], url('a.db')), /\ba\b/)
})

/** Overwrites the first page of a table. */
const spoil = (path: string, table: string) => {
  using database = new DatabaseSync(path, { readOnly: true })
  const found = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)
  const pageBytes = 4_096
  const handle = openSync(path, 'r+')
  writeSync(
    handle,
    new Uint8Array(pageBytes).fill(0x55),
    0,
    pageBytes,
    (Number(found?.rootpage) - 1) * pageBytes,
  )
  closeSync(handle)
}
