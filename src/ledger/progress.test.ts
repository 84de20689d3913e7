import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { risingIds } from '#core/id.ts'
import type { Engine } from '#sql/engine.ts'
import { sql } from '#sql/query.ts'
import { engines } from '#test/engines.ts'
import { progress, RunsElsewhere } from './progress.ts'

const task = 'import todos of this file'

const newId = risingIds(systemClock)

const writeOne = (db: Engine) => () =>
  db.run(sql`
    INSERT INTO todo (todo_id, todo_title, finished, created_at, version, checksum)
    VALUES (${newId()}, 'a', false, 0, 1, 0)`)

for (const { name, open, skip } of engines)
  test(`a task that runs twice at once writes each step once, on ${name}`, { skip }, async (t) => {
    const db = await open(t)
    const [one, other] = [progress(db, task), progress(db, task)]
    const first = { after: 0, done: 10, consumed: 'x', records: 3 }
    const second = { after: 10, done: 20, consumed: 'y', records: 1 }
    for (const step of [first, second]) {
      const ends = await Promise.allSettled([one, other].map((progress) => progress.step(step, writeOne(db))))
      assert.deepEqual(ends.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const lost = ends.find((end) => end.status === 'rejected')
      assert.ok(lost?.reason instanceof RunsElsewhere, String(lost?.reason))
    }
    const begun = await one.begun()
    assert.deepEqual([begun?.done, begun?.written, begun?.refused], [20, 2, 2])
    await one.ended()
    const unwanted = () => assert.fail('the work began')
    await assert.rejects(other.step({ ...second, after: 20, done: 30 }, unwanted), RunsElsewhere)
    const [row] = await db.read(sql`SELECT count(*) AS total FROM todo`, ({ total }) => Number(total))
    assert.equal(row, 2)
  })
