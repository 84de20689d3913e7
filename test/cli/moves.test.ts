import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase, noPostgres } from '../postgres.ts'
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
