import assert from 'node:assert/strict'
import { test } from 'node:test'
import { increasingIds } from '#core/id.ts'
import type { ChangeFilter } from '#http/api/change.ts'
import { raw } from '#sql/query.ts'
import { stoppedClock } from '#test/access/callers.ts'
import { engines } from '#test/engines.ts'
import { logEntryMaker, serviceActor } from './change-log.ts'
import { openChanges } from './change-reader.ts'

const dayMs = 86_400_000

for (const { name, open, skip } of engines) {
  const opened = async (t: Parameters<typeof open>[0]) => {
    const db = await open(t)
    const clock = stoppedClock()
    const makeLogEntry = logEntryMaker({ clock, newId: increasingIds(clock) })
    let uptime = 0
    const run = (ms: number) => {
      uptime += ms
    }
    const log = openChanges({ db, keepMs: 30 * dayMs, uptimeMs: () => uptime })
    const change = (type: string) => ({ type, subject: 's', version: 1, changed: [] })
    const enter = (count: number, type = 'a.created') =>
      db.write(async (tx) => {
        for (let at = 0; at < count; at++) await tx.append(makeLogEntry(change(type), serviceActor()))
      })
    /** Several changes of one request. */
    const enterUnit = (types: readonly string[]) =>
      db.write(async (tx) => {
        const actor = serviceActor()
        for (const type of types) await tx.append(makeLogEntry(change(type), actor))
      })
    return { db, clock, log, enter, enterUnit, run }
  }
  const all: ChangeFilter = {}

  test(`${name}: old changes are swept, but never the newest change`, { skip }, async (t) => {
    const { log, enter, run } = await opened(t)
    const before = await log.latest()
    await enter(700)
    const early = await log.read(before, all, 10)
    assert.equal(await log.sweep(), 0)
    run(31 * dayMs)
    await enter(5)
    let swept = 0
    for (let count = await log.sweep(); count > 0; count = await log.sweep()) swept += count
    assert.equal(swept, 700)
    assert.equal((await log.oldest()).number, 700)
    assert.equal((await log.read(await log.oldest(), all, 10))?.changes[0]?.number, 701)
    for (const position of [before, early?.position]) {
      assert.ok(position)
      assert.equal(await log.read(position, all, 10), undefined)
    }
    run(31 * dayMs)
    assert.equal(await log.sweep(), 4)
    assert.equal(await log.sweep(), 0)
    await enter(1)
    assert.equal((await log.latest()).number, 706)
  })

  test(`${name}: a wrong clock neither deletes changes too early nor keeps them too long`, {
    skip,
  }, async (t) => {
    const { db, clock, log, enter, run } = await opened(t)
    const right = clock.now()
    await enter(3)
    assert.equal(await log.sweep(), 0)
    run(29 * dayMs)
    for (const at of [right + 40 * dayMs, right + 365 * dayMs, right - 40 * dayMs]) {
      clock.pass(at - clock.now())
      await enter(1)
      const other = openChanges({ db, keepMs: 30 * dayMs, uptimeMs: () => 0 })
      assert.deepEqual([await log.sweep(), await other.sweep()], [0, 0])
    }
    run(2 * dayMs)
    assert.equal(await log.sweep(), 3)
    assert.equal(await log.sweep(), 0)
    run(28 * dayMs)
    assert.equal(await log.sweep(), 1)
    run(2 * dayMs)
    assert.equal(await log.sweep(), 1)
    assert.equal((await log.latest()).number, 6)
  })

  test(`${name}: changes age by the running time of all processes, also after a restart`, {
    skip,
  }, async (t) => {
    const { db, log, enter, run } = await opened(t)
    await enter(5)
    await log.sweep()
    run(20 * dayMs)
    assert.equal(await log.sweep(), 0)
    let uptime = 1_000_000
    const later = openChanges({ db, keepMs: 30 * dayMs, uptimeMs: () => uptime })
    assert.equal(await later.sweep(), 0)
    uptime += 9 * dayMs
    run(9 * dayMs)
    assert.deepEqual([await log.sweep(), await later.sweep()], [0, 0])
    uptime += 2 * dayMs
    assert.equal(await later.sweep(), 4)
  })

  test(`${name}: age marks that were written for another log delete no changes`, { skip }, async (t) => {
    const { db, log, enter, run } = await opened(t)
    await enter(5)
    await log.sweep()
    run(31 * dayMs)
    await db.run(raw("UPDATE change SET change_id = 'another ' || number"))
    assert.equal(await log.sweep(), 0)
  })

  test(`${name}: the changes of one transaction are never split between two pages`, { skip }, async (t) => {
    const { log, enter, enterUnit } = await opened(t)
    await log.follow()
    const start = await log.latest()
    await enter(1)
    await enterUnit(['a.created', 'b.created', 'a.created'])
    await enterUnit(['a.created', 'b.created'])
    // The next unit lies across the end of a window.
    await enter(4_993)
    await enterUnit(['b.created', 'a.created', 'b.created'])
    await enter(1)
    const numbersOf = async (read: typeof log.read, filter: ChangeFilter, size: number, from = start) => {
      const pages: (readonly number[])[] = []
      for (let position = from, more = true; more && pages.length < 10; ) {
        const page = await read(position, filter, size)
        assert.ok(page)
        pages.push(page.changes.map(({ number }) => number))
        position = page.position
        more = page.hasMore
      }
      return pages
    }
    for (const read of [log.read, log.readFromMemory]) {
      assert.deepEqual((await numbersOf(read, all, 2)).slice(0, 3), [
        [1, 2, 3, 4],
        [5, 6],
        [7, 8],
      ])
      assert.deepEqual((await numbersOf(read, all, 1)).slice(0, 3), [[1], [2, 3, 4], [5, 6]])
      assert.deepEqual((await numbersOf(read, { types: ['b.created'] }, 1)).slice(0, 3), [
        [3],
        [6],
        [5_000, 5_002],
      ])
    }
    const end = await log.latest()
    const backFrom = (at: number) =>
      numbersOf(log.readBackwards, all, 2, { ...end, number: at, idSuffix: '' })
    assert.deepEqual(await backFrom(8), [[8, 7], [6, 5], [4, 3, 2], [1]])
    assert.deepEqual((await numbersOf(log.readBackwards, { types: ['b.created'] }, 1, end)).slice(0, 3), [
      [5_002, 5_000],
      [6],
      [3],
    ])
    assert.equal(await log.readBackwards({ ...end, idSuffix: 'lost' }, all, 2), undefined)
    assert.equal(await log.readBackwards({ ...end, logName: 'other' }, all, 2), undefined)
  })

  test(`${name}: a filtered read finds a change of a rare type behind many others`, { skip }, async (t) => {
    const { log, enter } = await opened(t)
    await enter(6_000)
    await enter(1, 'b.created')
    await enter(6_000)
    const filter = { types: ['b.created'] }
    const found = await log.read(await log.oldest(), filter, 10)
    assert.deepEqual(
      found?.changes.map(({ number }) => number),
      [6_001],
    )
    assert.equal(found?.hasMore, true)
    const rest = await log.read(found?.position ?? (await log.latest()), filter, 10)
    assert.deepEqual(
      { ...rest, position: rest?.position.number },
      { changes: [], position: 12_001, hasMore: false },
    )
  })

  test(`${name}: a page is refused if a sweep deletes some of its changes while it is read`, {
    skip,
  }, async (t) => {
    const { db, enter } = await opened(t)
    await enter(5_100)
    await enter(1, 'b.created')
    await enter(10)
    let isSweeping = false
    const read: typeof db.read = async (...query) => {
      const rows = await db.read(...query)
      if (isSweeping) await db.run(raw('DELETE FROM change WHERE number <= 5105'))
      return rows
    }
    const log = openChanges({ db: { ...db, read }, keepMs: 'off' })
    const start = await log.oldest()
    isSweeping = true
    assert.equal(await log.read(start, { types: ['b.created'] }, 10), undefined)
  })

  test(`${name}: a position is refused if it belongs to another log, lies in the future, or names another change`, {
    skip,
  }, async (t) => {
    const { db, log, enter } = await opened(t)
    const first = await log.latest()
    await enter(3)
    const known = await log.latest()
    for (const wrong of [
      { ...known, logName: 'another' },
      { ...known, number: 4 },
      { ...known, number: 2 },
      { ...known, idSuffix: 'another' },
    ])
      assert.equal(await log.read(wrong, all, 10), undefined, JSON.stringify(wrong))
    assert.equal((await log.read(first, all, 10))?.changes.length, 3)
    assert.deepEqual((await log.read(known, all, 10))?.changes, [])
    await db.run(raw('DELETE FROM change WHERE number = 1'))
    assert.equal(await log.read(first, all, 10), undefined)
  })

  test(`${name}: waiting readers share one read and miss no change`, { skip }, async (t) => {
    const { log, enter } = await opened(t)
    await log.follow()
    const start = await log.latest()
    const readers = Array.from({ length: 5 }, async () => {
      const seen: number[] = []
      let position = start
      const { signal } = new AbortController()
      while (seen.length < 300) {
        const since = log.arrivalCount()
        const page = await log.readFromMemory(position, all, 7)
        assert.ok(page)
        seen.push(...page.changes.map(({ number }) => number))
        position = page.position
        if (!page.hasMore && seen.length < 300) await log.nextArrival(since, 5_000, signal)
      }
      return seen
    })
    for (let group = 0; group < 100; group++) await enter(3)
    for (const seen of await Promise.all(readers))
      assert.deepEqual(
        seen,
        Array.from({ length: 300 }, (_, at) => at + 1),
      )
  })

  test(`${name}: changes that do not fit on one page follow on the next pages`, { skip }, async (t) => {
    const { log, enter } = await opened(t)
    await log.follow()
    await enter(1)
    let { position, more } = { position: await log.latest(), more: true }
    const arrival = log.nextArrival(log.arrivalCount(), 5_000, new AbortController().signal)
    await enter(10)
    await arrival
    const pages: number[][] = []
    while (more && pages.length < 10) {
      const page = await log.readFromMemory(position, all, 4)
      assert.ok(page)
      pages.push(page.changes.map(({ number }) => number))
      position = page.position
      more = page.hasMore
    }
    assert.deepEqual(pages, [
      [2, 3, 4, 5],
      [6, 7, 8, 9],
      [10, 11],
    ])
  })
}
