import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { raw, sql } from '#sql/query.ts'
import { drained, everything, type Opened, thing, withThings } from './things.ts'

export const streams = (engine: Opened) => {
  describe(`${engine.name} streams`, { skip: engine.skip }, () => {
    const many = 3_210
    const withMany = async (t: TestContext) => {
      const database = await withThings(engine, t)
      await database.write((tx) =>
        tx.run(sql`
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${raw(String(many))})
        INSERT INTO thing (id, title, rank) SELECT 'id' || i, 'title ' || i, i FROM n`),
      )
      return database
    }

    test('yield every row once, in order', async (t) => {
      const database = await withMany(t)
      const ranks = (await drained(database)).map(({ rank }) => rank)
      assert.deepEqual(
        ranks,
        Array.from({ length: many }, (_, index) => index + 1),
      )
    })

    test('show one snapshot despite concurrent writes', async (t) => {
      const database = await withMany(t)
      let count = 0
      for await (const batch of database.stream(everything, thing)) {
        if (count === 0) await database.write((tx) => tx.run(sql`DELETE FROM thing WHERE rank > ${10}`))
        count += batch.length
      }
      assert.equal(count, many)
      assert.equal((await drained(database)).length, 10)
    })

    test('may end early, and many can run at once', async (t) => {
      const database = await withMany(t)
      for (let round = 0; round < 50; round++) {
        for await (const batch of database.stream(everything, thing)) {
          assert.ok(batch.length > 0)
          break
        }
      }
      const counts = await Promise.all(
        Array.from({ length: 40 }, async () => (await drained(database)).length),
      )
      assert.deepEqual(new Set(counts), new Set([many]))
    })
  })
}
