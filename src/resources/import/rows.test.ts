import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '#sql/database.ts'
import { type Query, sql } from '#sql/query.ts'
import { engines } from '#test/engines.ts'
import { encryption } from './encryption.ts'
import { rowStore } from './rows.ts'

test('SQLite: few rows of an import are found by an index, although it has many rows', async (t) => {
  const db = await engines[0]?.open(t)
  assert.ok(db)
  const queries: Query[] = []
  const noted = (run: Database['read']): Database['read'] =>
    async function readNoted(query, toItem) {
      queries.push(query)
      return run(query, toItem)
    }
  const noting: Database = { ...db, read: noted(db.read), scan: noted(db.scan) }
  const store = rowStore(noting, encryption(Buffer.alloc(32)))
  await store.unapplied('a', 0, 12)
  await store.appliedBefore('a', 9, 12)
  await store.hasFault('a', '"code":"OpenDate"')
  await store.list.page({ importId: 'a', outcome: 'refused' }, { number: 0, size: 20, sort: [] })
  assert.equal(queries.length, 5)
  for (const query of queries) {
    const plan = { ...query, text: sql`EXPLAIN QUERY PLAN ${query}`.text }
    const steps: readonly string[] = await db.read(plan, (row) => String(row.detail))
    const [all] = steps.filter((step) => step.includes('SCAN') || step.endsWith('PRIMARY KEY (import_id=?)'))
    assert.equal(all, undefined, query.text)
  }
})
