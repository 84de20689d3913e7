import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from '#sql/query.ts'
import { add, newPath, opened, withNotes, writer } from './notes.suite.ts'

describe('SQLite makes writes durable', () => {
  test('those of one turn of the event loop by one commit', async (t) => {
    const groups: number[] = []
    const database = await withNotes(t, { observe: { groupCommitted: (writes) => groups.push(writes) } })
    groups.length = 0
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => add(database, id)))
    await add(database, 'e')
    assert.deepEqual(groups, [4, 1])
  })

  test('and after company those of the next turns too, until one brings nobody', async (t) => {
    const groups: number[] = []
    const observe = { groupCommitted: (writes: number) => groups.push(writes) }
    const database = await withNotes(t, { observe, limits: { gatherMs: 10_000 } })
    const inTurns = async (ids: readonly string[]) => {
      const added = ids.map(async (id, turn) => {
        for (let passed = 0; passed < turn; passed++) await nextTurn()
        await add(database, id)
      })
      await Promise.all(added)
    }
    groups.length = 0
    await inTurns(['a', 'b', 'c'])
    assert.deepEqual(groups, [1, 1, 1])
    await Promise.all(['d', 'e'].map((id) => add(database, id)))
    groups.length = 0
    await inTurns(['f', 'g', 'h'])
    assert.deepEqual(groups, [3])
    groups.length = 0
    await add(database, 'i')
    await inTurns(['j', 'k', 'l'])
    assert.deepEqual(groups, [1, 1, 1, 1])
  })

  test('but for no longer than a commit may wait', async (t) => {
    const groups: number[] = []
    const observe = { groupCommitted: (writes: number) => groups.push(writes) }
    const database = await withNotes(t, { observe, limits: { gatherMs: 0 } })
    await Promise.all(['a', 'b'].map((id) => add(database, id)))
    groups.length = 0
    const first = add(database, 'c')
    await nextTurn()
    await Promise.all([first, add(database, 'd')])
    assert.deepEqual(groups, [1, 1])
  })

  test('and a group has a size that it does not exceed', async (t) => {
    const groups: number[] = []
    const observe = { groupCommitted: (writes: number) => groups.push(writes) }
    const database = await withNotes(t, { observe, limits: { groupedWrites: 2 } })
    groups.length = 0
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => add(database, id)))
    assert.deepEqual(groups, [2, 2, 1])
  })

  test('so that a kill loses nothing that was confirmed', async (t) => {
    const path = newPath(t)
    const child = await writer(t, path)
    const confirmed: string[] = []
    child.stdout?.on('data', (lines: string) => confirmed.push(...lines.split('\n').slice(0, -1)))
    while (confirmed.length < 500) await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const database = await opened(t, `sqlite:${path}`)
    const kept = new Set(await database.read(sql`SELECT id FROM note`, (row) => String(row.id)))
    assert.deepEqual(
      confirmed.filter((id) => !kept.has(id)),
      [],
    )
  })

  test('and a log that readers do not hold is folded into the file', async (t) => {
    const path = newPath(t)
    const database = await withNotes(t, { limits: { checkpointStatements: 50 } }, `sqlite:${path}`)
    for (let count = 0; count < 2_000; count++) await add(database, `note${count}`)
    const log = statSync(`${path}-wal`).size
    assert.ok(log < 4 * 1_024 * 1_024, `the log has ${log} bytes`)
    await database.close()
    assert.ok(!existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0)
  })
})
