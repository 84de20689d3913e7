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
