import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { asRoot, fieldOf, startBasic } from './access/callers.ts'
import { rollcall } from './cli/warm.ts'
import { freshFolder } from './fresh-folder.ts'
import { john } from './people.ts'
import { until } from './postgres-notes.ts'
import { mergePatch } from './scenarios/table.ts'

const members = 100

/** Counts the values of these members in a file and its log. */
const placesIn = (path: string, erased: ReadonlySet<number>) =>
  [path, `${path}-wal`]
    .filter(existsSync)
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/mark0*(\d+)z/gi)])
    .filter(([, number]) => erased.has(Number(number))).length

test('an erasure leaves no trace of a member in the database file, its WAL or a later backup, even while the service runs', async (t) => {
  const path = join(freshFolder(), 'erased.db')
  const environment = { DATABASE_URL: `sqlite:${path}` }
  const api = await startBasic(t, environment)
  const good = async (line: string, body?: unknown, headers: Readonly<Record<string, string>> = asRoot) => {
    const answer = await api(line, body, headers)
    assert.ok(answer.status < 300, `${line}: ${answer.text}`)
    return answer
  }
  const ids: string[] = []
  const markOf = (number: number, length = 1) => `Mark${number}z ${'y'.repeat(length)}`
  for (let number = 0; number < members; number++) {
    // In random order, so that index pages are split in the middle, which leaves copies of rows behind.
    const signId = createHash('md5').update(String(number)).digest('hex') + markOf(number, 120)
    const body = { ...john, firstName: markOf(number), address: markOf(number, 200) }
    const keyed = { ...asRoot, 'Idempotency-Key': `k${number}` }
    const made = await good(
      'POST /members',
      { ...body, credential: { signId, password: 'swordfish' } },
      keyed,
    )
    ids.push(fieldOf(made, 'memberId'))
    const earlier = Math.floor(number / 2)
    const change = { lastName: markOf(earlier, number % 100), address: markOf(earlier, number % 150) }
    await good(`PATCH /members/${ids[earlier]}`, change, { ...asRoot, ...mergePatch })
  }
  const erased = new Set(ids.keys().filter((number) => number % 2 === 0))
  assert.ok(placesIn(path, erased) > erased.size)
  for (const number of erased) await good(`DELETE /members/${ids[number]}?erase=true`)
  const backup = join(freshFolder(), 'copy.db')
  const copied = await rollcall(['backup', backup], { environment })
  assert.deepEqual([copied.code, placesIn(backup, erased)], [0, 0], copied.err)
  await until(async () => placesIn(path, erased) === 0)
  for (const number of ids.keys())
    if (!erased.has(number))
      await good(`PATCH /members/${ids[number]}`, { zipCode: '1' }, { ...asRoot, ...mergePatch })
  await api.close()
  assert.equal(placesIn(path, erased), 0)
  assert.deepEqual((await rollcall(['verify', '--json'], { environment })).code, 0)

  const last = await rollcall(['member', 'remove', ids[1] ?? '', '--erase'], { environment })
  assert.deepEqual([last.code, placesIn(path, new Set([1]))], [0, 0], last.err)
})
