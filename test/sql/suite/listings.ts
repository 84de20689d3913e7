import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Database } from '#sql/database.ts'
import { type Lists, listing, type Selection } from '#sql/listing.ts'
import { key, raw, sql } from '#sql/query.ts'
import { add, type Opened, type Thing, thing, withThings } from './things.ts'

const selection = (title: string): Selection => ({
  select: raw('SELECT id, title, done, rank'),
  from: raw('thing'),
  count: raw('SELECT count(*) AS total FROM thing'),
  where: sql`title = ${title}`,
  position: 'id',
  isIndexed: false,
})

const listsOf = (database: Database): Lists<Thing, string> =>
  listing(database, {
    toItem: thing,
    select: selection,
    sortable: { rank: { column: 'rank', nullAs: '' } },
    position: 'id',
  })

const pageOf = async (lists: Lists<Thing, string>, title: string, number = 0) => {
  const { content, totalElements } = await lists.page(title, { number, size: 2, sort: [] })
  return [content.map(({ id }) => id), totalElements]
}

export const lists = (engine: Opened) => {
  describe(`${engine.name} reads a page and counts all rows`, { skip: engine.skip }, () => {
    test('correctly on every page, without rows, and beyond the last page', async (t) => {
      const database = await withThings(engine, t)
      for (const id of ['a', 'b', 'c', 'd', 'e']) await add(database, id, 'same')
      await add(database, 'f', 'other')
      const lists = listsOf(database)
      assert.deepEqual(await pageOf(lists, 'same'), [['a', 'b'], 5])
      assert.deepEqual(await pageOf(lists, 'same', 2), [['e'], 5])
      assert.deepEqual(await pageOf(lists, 'same', 3), [[], 5])
      assert.deepEqual(await pageOf(lists, 'none'), [[], 0])
      assert.deepEqual(await pageOf(lists, 'none', 3), [[], 0])
    })

    test('and refuses to sort by a property that is not sortable', async (t) => {
      const lists = listsOf(await withThings(engine, t))
      const sort = [{ property: 'title', direction: 'asc' as const }]
      await assert.rejects(lists.page('same', { number: 0, size: 2, sort }), /cannot be sorted by title/)
    })

    test('from one consistent state while others write', async (t) => {
      const database = await withThings(engine, t)
      await add(database, 'a', 'there')
      const lists = listsOf(database)
      let isWriting = true
      const others = (async () => {
        while (isWriting) {
          const title = Math.random() < 0.5 ? 'gone' : 'there'
          await database.run(sql`UPDATE thing SET title = ${title} WHERE id = ${key('a')}`)
        }
      })()
      const seen = new Set<string>()
      try {
        for (let round = 0; round < 300 || seen.size < 2; round++) {
          seen.add(JSON.stringify(await pageOf(lists, 'there')))
          await turn()
        }
      } finally {
        isWriting = false
        await others
      }
      assert.deepEqual([...seen].sort(), ['[["a"],1]', '[[],0]'])
    })
  })
}
