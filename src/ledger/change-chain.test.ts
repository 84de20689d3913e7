import assert from 'node:assert/strict'
import { test } from 'node:test'
import { increasingIds } from '#core/id.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { stoppedClock } from '#test/access/callers.ts'
import { engines } from '#test/engines.ts'
import { type Head, verifyChanges } from './change-chain.ts'
import { logEntryMaker } from './change-log.ts'
import { openChanges } from './change-reader.ts'

const verified = async (db: Database, kept?: Head) => {
  const found = verifyChanges(db, kept)
  const faults: string[] = []
  for (;;) {
    const { value, done } = await found.next()
    if (done) return { faults, head: value }
    faults.push(`${value.what} ${value.id}: ${value.says}`)
  }
}

const alterations = [
  "UPDATE change SET changed_by = 'nobody' WHERE number = 2",
  "UPDATE change SET track = '' WHERE number = 2",
  "UPDATE change SET subject = 'other' WHERE number = 2",
  "UPDATE change SET type = 'a.deleted' WHERE number = 2",
  "UPDATE change SET changed = '' WHERE number = 2",
  'UPDATE change SET version = 7 WHERE number = 2',
  'UPDATE change SET changed_at = changed_at + 1 WHERE number = 2',
  "UPDATE change SET unit = '' WHERE number = 2",
  "UPDATE change SET change_id = 'other' WHERE number = 2",
  "UPDATE change SET previous = '' WHERE number = 3",
  'UPDATE change SET previous = NULL WHERE number = 3',
  'UPDATE change SET number = 99 WHERE number = 2',
  'DELETE FROM change WHERE number = 2',
]

for (const { name, open, skip } of engines) {
  const opened = async (t: Parameters<typeof open>[0]) => {
    const db = await open(t)
    const clock = stoppedClock()
    const makeLogEntry = logEntryMaker({ clock, newId: increasingIds(clock) })
    const enter = (count: number) =>
      db.write(async (tx) => {
        const actor = { author: 'Zoë\n42', track: 'checkout-42', pendingChanges: [] }
        const change = {
          type: 'a.created',
          subject: 's',
          version: 1,
          changed: ['b', 'c'],
          record: { b: 'é' },
        }
        for (let at = 0; at < count; at++) await tx.append(makeLogEntry(change, actor))
      })
    return { db, clock, enter }
  }

  test(`${name}: verify finds every altered or removed change`, { skip }, async (t) => {
    const { db, enter } = await opened(t)
    assert.deepEqual(await verified(db), { faults: [], head: undefined })
    await enter(3)
    await enter(2)
    const { faults, head } = await verified(db)
    assert.deepEqual([faults, head?.number], [[], 5])
    await db.run(raw('CREATE TABLE kept AS SELECT * FROM change'))
    for (const alteration of alterations) {
      await db.run(raw(alteration))
      assert.notDeepEqual((await verified(db)).faults, [], alteration)
      await db.write(async (tx) => {
        await tx.run(raw('DELETE FROM change'))
        await tx.run(raw('INSERT INTO change SELECT * FROM kept'))
      })
    }
    await db.run(raw("UPDATE change SET value = '{}' WHERE number = 4"))
    assert.match((await verified(db)).faults.join(), /^value of change 4: [^,]*$/)
    await db.run(raw('UPDATE change SET value = NULL, checksum = NULL'))
    assert.deepEqual(await verified(db, head), { faults: [], head })
    await db.run(raw("UPDATE change SET changed_by = 'nobody' WHERE number = 5"))
    assert.deepEqual((await verified(db)).faults, [], 'only a head that was kept proves the newest')
    assert.match((await verified(db, head)).faults.join(), /^change 5: its hash differs from the given hash/)
    await db.run(raw('DELETE FROM change WHERE number = 5'))
    assert.deepEqual((await verified(db, head)).faults, ['change 5: the log lacks this change'])
  })

  test(`${name}: changes older than the hash chain need no hashes`, { skip }, async (t) => {
    const { db, enter } = await opened(t)
    await enter(3)
    await db.run(raw("UPDATE change SET previous = NULL, unit = ''"))
    await enter(2)
    assert.deepEqual((await verified(db)).faults, [])
    await db.run(raw("UPDATE change SET track = '' WHERE number = 3"))
    assert.match(
      (await verified(db)).faults.join(),
      /^change 4: the stored hash of the previous change is not its hash/,
    )
  })

  test(`${name}: the remaining changes stay provable after a sweep`, { skip }, async (t) => {
    const { db, enter } = await opened(t)
    let uptime = 0
    const log = openChanges({ db, keepMs: 500, uptimeMs: () => uptime })
    await enter(600)
    await log.sweep()
    uptime = 1_000
    await enter(3)
    const { head } = await verified(db)
    while ((await log.sweep()) > 0);
    assert.equal((await log.oldest()).number, 600)
    assert.deepEqual(await verified(db, head), { faults: [], head })
    await enter(1)
    assert.deepEqual((await verified(db, head)).faults, [])
    assert.equal(
      (await db.scan(raw('SELECT value FROM change'), (row) => row.value)).filter(Boolean).length,
      4,
    )
  })
}
