import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { Problem } from '#core/problem.ts'
import type { Database } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { key, sql } from '#sql/query.ts'
import {
  add,
  firstBatch,
  id,
  ids,
  kindOf,
  newPath,
  openForTest,
  refused,
  text,
  until,
  withNotes,
} from '#test/sqlite-notes.ts'

type SyncCallback = (error: NodeJS.ErrnoException | null) => void

/** Replaces `fdatasync` until the test ends. */
const replaceSync = (t: TestContext, datasync: (go: () => void, answer: SyncCallback) => void) => {
  const real = fs.fdatasync
  const replaced = (file: number, answer: SyncCallback) => datasync(() => real(file, answer), answer)
  t.mock.method(fs, 'fdatasync', replaced as typeof fs.fdatasync)
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
}

const diskError = (code: string) => Object.assign(new Error(`${code}: the disk says no`), { code })

const findText = (database: Database, name: string) =>
  database.find(sql`SELECT text FROM note WHERE id = ${key(name)}`, text)

const scanIds = (database: Database) => database.scan(sql`SELECT id FROM note ORDER BY id`, id)

const setText = (database: Database, name: string, value: string) =>
  database.write((tx) => tx.run(sql`UPDATE note SET text = ${value} WHERE id = ${key(name)}`))

/** Syncs on another thread, never on this one. */
const syncOnThread = { fastSyncMs: 0 }

const addTwo = (database: Database, name: string) =>
  Promise.allSettled([add(database, `${name}1`), add(database, `${name}2`)])

describe('A commit that is not yet durable', () => {
  test('is invisible to reads, scans, streams and listeners, and leaves the commit token unchanged, until the sync', async (t) => {
    const database = await withNotes(t, { limits: syncOnThread }, `sqlite:${newPath()}`)
    await Promise.all([add(database, 'a', 'old'), add(database, 'b', 'old')])
    const payloads: string[] = []
    await database.listen('notes', {
      onPayload: (payload) => payloads.push(payload),
      onLoss: () => undefined,
    })
    const [state, list] = [await database.commitToken(), await ids(database)]
    let release: () => void = () => assert.fail('no sync')
    const syncRequested = Promise.withResolvers<void>()
    replaceSync(t, (go) => {
      release = go
      syncRequested.resolve()
    })
    let isAnswered = false
    const writes = Promise.all([
      setText(database, 'a', 'new'),
      database.write(async (tx) => {
        await tx.run(sql`INSERT INTO note (id) VALUES (${key('c')})`)
        await tx.publish('notes', 'c')
      }),
      // This write conflicts with the other writes of its group.
      assert.rejects(add(database, 'c')),
    ]).then(() => {
      isAnswered = true
    })
    await syncRequested.promise
    const readsDuringSync = Promise.all([scanIds(database), firstBatch(database)])
    await sleep(100)
    assert.equal(await findText(database, 'a'), 'old')
    assert.deepEqual(await ids(database), list)
    assert.equal(await database.commitToken(), state)
    assert.deepEqual([payloads, isAnswered], [[], false])
    assert.equal(await Promise.race([readsDuringSync, turn('waiting')]), 'waiting')
    release()
    await writes
    assert.deepEqual(await readsDuringSync, [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ])
    assert.equal(await findText(database, 'a'), 'new')
    assert.notEqual(await database.commitToken(), state)
    assert.deepEqual(payloads, ['c'])
  })

  test('makes only writers wait', async (t) => {
    const database = await withNotes(t, { limits: syncOnThread }, `sqlite:${newPath()}`)
    await addTwo(database, 'a')
    const syncs: (() => void)[] = []
    replaceSync(t, (go) => syncs.push(go))
    const first = addTwo(database, 'b')
    await until(() => syncs.length > 0)
    const second = addTwo(database, 'c')
    await sleep(20)
    assert.equal(syncs.length, 1)
    assert.deepEqual(await ids(database), ['a1', 'a2'])
    syncs.shift()?.()
    await first
    assert.deepEqual(await ids(database), ['a1', 'a2', 'b1', 'b2'])
    await until(() => syncs.length > 0)
    syncs.shift()?.()
    await second
  })

  for (const code of ['EIO', 'ENOSPC'])
    for (const nth of [1, 2, 3, 4, 5])
      test(`disappears if sync number ${nth} fails with ${code}, and later writes succeed`, async (t) => {
        const path = newPath()
        const failures: string[] = []
        const observe = { storageFailed: (kind: string) => failures.push(kind) }
        const database = await withNotes(
          t,
          { observe, limits: { ...syncOnThread, reopenMs: 10 } },
          `sqlite:${path}`,
        )
        let count = 0
        replaceSync(t, (go, answer) => (++count === nth ? answer(diskError(code)) : go()))
        const acknowledged: string[] = []
        for (let n = 1; n <= 6; n++) {
          const state = await database.commitToken()
          const outcomes = await addTwo(database, `${n}-`)
          const kinds = outcomes.map((one) => (one.status === 'rejected' ? kindOf(one.reason) : 'done'))
          assert.deepEqual(kinds, Array(2).fill(n === nth ? 'storageUnavailable' : 'done'))
          if (n === nth) {
            await assert.rejects(
              database.ping(),
              (error) =>
                error instanceof Problem && String(error.cause) === 'Error: the disk did not take a commit',
            )
            assert.equal(await database.commitToken(), state)
          } else acknowledged.push(`${n}-1`, `${n}-2`)
          assert.deepEqual(await ids(database), acknowledged)
          if (n === nth) await until(() => isReady(database))
          assert.deepEqual(await scanIds(database), acknowledged)
        }
        assert.ok(failures.includes(code === 'EIO' ? 'io' : 'full'))
        await database.close()
        const again = await openForTest(t, `sqlite:${path}`)
        assert.deepEqual(await ids(again), acknowledged)
      })

  test('is gone after a restart if reopening failed; until the restart, writes are refused and reads are answered', async (t) => {
    const path = newPath()
    const database = await withNotes(t, { limits: { ...syncOnThread, reopenMs: 5 } }, `sqlite:${path}`)
    await addTwo(database, 'a')
    replaceSync(t, (_, answer) => answer(diskError('EIO')))
    let attempts = 0
    const cut = t.mock.method(fs, 'fsyncSync', () => {
      attempts++
      throw diskError('EIO')
    })
    syncBuiltinESMExports()
    await addTwo(database, 'b')
    while (attempts < 3) await sleep(5)
    await refused('storageUnavailable', add(database, 'c'))
    await refused('storageUnavailable', firstBatch(database))
    assert.deepEqual(await scanIds(database), ['a1', 'a2'])
    assert.deepEqual(await ids(database), ['a1', 'a2'])
    cut.mock.restore()
    syncBuiltinESMExports()
    await database.close()
    const again = await openForTest(t, `sqlite:${path}`)
    assert.deepEqual(await ids(again), ['a1', 'a2'])
  })

  test('does not prevent the database from being closed, and opened by others, while the disk keeps failing', async (t) => {
    const path = newPath()
    const database = await withNotes(t, { limits: syncOnThread }, `sqlite:${path}`)
    await addTwo(database, 'a')
    replaceSync(t, (_, answer) => answer(diskError('EIO')))
    const cut = t.mock.method(fs, 'fsyncSync', () => {
      throw diskError('EIO')
    })
    syncBuiltinESMExports()
    await addTwo(database, 'b')
    await database.close()
    cut.mock.restore()
    syncBuiltinESMExports()
    const again = await openForTest(t, `sqlite:${path}`)
    assert.deepEqual((await ids(again)).slice(0, 2), ['a1', 'a2'])
  })

  test('is rolled back even if clients keep requesting whole lists', async (t) => {
    const path = newPath()
    const database = await withNotes(t, { limits: { ...syncOnThread, reopenMs: 5 } }, `sqlite:${path}`)
    const long = 'x'.repeat(4_000)
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(database, `kept${n}`, long)))
    let count = 0
    replaceSync(t, (go, answer) => (++count % 3 === 0 ? answer(diskError('EIO')) : go()))
    let isReading = true
    const lists = Array.from({ length: 8 }, async () => {
      for (let n = 0; isReading; n++) {
        await firstBatch(database, sql`SELECT id, ${n} AS n FROM note`).catch(() => undefined)
        await turn()
      }
    })
    const kept = Array.from({ length: 20 }, (_, n) => `kept${n}`)
    for (let n = 0; n < 60; n++) {
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((part) => add(database, `${n}${part}`, long)),
      )
      if (outcomes[0]?.status === 'fulfilled') kept.push(...['a', 'b', 'c', 'd'].map((part) => `${n}${part}`))
      else await until(() => isReady(database))
    }
    isReading = false
    await Promise.all(lists)
    assert.deepEqual(await ids(database), kept.sort())
    await database.close()
    const file = new DatabaseSync(path)
    t.after(() => file.close())
    assert.deepEqual({ ...file.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  })

  test('cannot be removed while another program has the database open, so writes are refused until that program closes it', async (t) => {
    const path = newPath()
    const runs: string[] = []
    const observe: Observer = {
      taskEnded: (name, error) => void runs.push(`${name} ${error === undefined ? 'worked' : 'failed'}`),
    }
    const options = { limits: { ...syncOnThread, reopenMs: 5 }, observe }
    const database = await withNotes(t, options, `sqlite:${path}`)
    await Promise.all(['a', 'b'].map((name) => add(database, name)))
    let isFailing = true
    replaceSync(t, (go, answer) => (isFailing ? answer(diskError('EIO')) : go()))
    const other = new DatabaseSync(path, { readOnly: true })
    other.prepare('SELECT * FROM note').all()
    await Promise.allSettled(['c', 'd'].map((name) => add(database, name)))
    isFailing = false
    await sleep(100)
    await refused('storageUnavailable', add(database, 'e'))
    assert.equal(runs.at(-1), 'reopen failed')
    other.close()
    await until(() => isReady(database))
    assert.ok(runs.includes('reopen worked'))
    await add(database, 'f')
    assert.deepEqual(await ids(database), ['a', 'b', 'f'])
  })
})

const isReady = (database: Database) =>
  database.ping().then(
    () => true,
    () => false,
  )
