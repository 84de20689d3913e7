import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { heldFailureBook } from '#ledger/held-failures.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { openSqlite } from '#sql/sqlite/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { freshFolder } from '../fresh-folder.ts'
import { stoppedClock } from './callers.ts'

test('failed logins that storage refuses are held until they would expire', async (t) => {
  const { db, path } = await open(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const clock = stoppedClock()
  const refusal = Promise.withResolvers<unknown>()
  const book = heldFailureBook(db, clock, refusal.resolve)
  await book.change('passing', failedOnce(clock.now() + 1_000))
  await book.change('cleared', failedOnce(clock.now() + 1_000))
  await book.clear('cleared')
  await book.change('lasting', failedOnce(clock.now() + 60_000))
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  clock.pass(2_000)
  t.mock.timers.tick(2_000)
  await refusal.promise
  assert.equal(await book.find('passing'), undefined)
  assert.equal((await book.find('lasting'))?.count, 1)
  other.close()
  await book.close()
  const kept = await db.read(allScopes, (row) => String(row.scope))
  assert.deepEqual(kept, ['lasting'])
})

test('held failures are written at most 1,000 per transaction, all of them before close() resolves', async (t) => {
  const { db } = await open(t)
  const clock = stoppedClock()
  const sizes: number[] = []
  const counting: Database = {
    ...db,
    write: (work) =>
      db.write((tx) => {
        const index = sizes.push(0) - 1
        const run: typeof tx.run = (query) => {
          sizes[index] = (sizes[index] ?? 0) + 1
          return tx.run(query)
        }
        return work({ ...tx, run })
      }),
  }
  const book = heldFailureBook(counting, clock, (error) => assert.fail(String(error)))
  for (let scope = 0; scope < 2_500; scope++) await book.change(`${scope}`, failedOnce(clock.now() + 60_000))
  await book.close()
  assert.ok(Math.max(...sizes) <= 1_000, String(sizes))
  assert.equal((await db.read(allScopes, (row) => row.scope)).length, 2_500)
})

test('a failed login that arrives during a write is not lost', async (t) => {
  const { db } = await open(t)
  const clock = stoppedClock()
  const forgottenAt = clock.now() + 60_000
  const meanwhile = async () => book.change('guessed', () => ({ count: 2, blockedUntil: 0, forgottenAt }))
  let writes = 0
  const busy: Database = {
    ...db,
    write: async (work) => {
      const written = await db.write(work)
      if (++writes === 1) await meanwhile()
      return written
    },
  }
  const book = heldFailureBook(busy, clock, (error) => assert.fail(String(error)))
  await book.change('guessed', failedOnce(forgottenAt))
  await book.close()
  const counts = await db.read(raw('SELECT failures FROM login_failure'), (row) => Number(row.failures))
  assert.deepEqual(counts, [2])
})

test('a failed login counts on from the held ones, even if they are written while it asks', async (t) => {
  const { db } = await open(t)
  const clock = stoppedClock()
  const written = Promise.withResolvers<void>()
  let finds = 0
  const slow: Database = {
    ...db,
    find: async (query, make) => {
      const found = await db.find(query, make)
      if (++finds === 2) await written.promise
      return found
    },
    write: async (work) => {
      const result = await db.write(work)
      setImmediate(written.resolve)
      return result
    },
  }
  const book = heldFailureBook(slow, clock, (error) => assert.fail(String(error)))
  const forgottenAt = clock.now() + 60_000
  const once = (known?: { count: number }) => ({
    count: (known?.count ?? 0) + 1,
    blockedUntil: 0,
    forgottenAt,
  })
  await book.change('guessed', once)
  await book.change('guessed', once)
  assert.equal((await book.find('guessed'))?.count, 2)
  await book.close()
})

const failedOnce = (forgottenAt: number) => () => ({ count: 1, blockedUntil: 0, forgottenAt })

const allScopes = raw('SELECT scope FROM login_failure')

const open = async (t: TestContext) => {
  const path = join(freshFolder(), 'a.db')
  const db = await openSqlite(path, { limits: { busyMs: 10 } })
  t.after(db.close)
  await migrateAll(db)
  return { db, path }
}
