import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Migration, migrate, readApplied, tryMigrate } from '#sql/migrate.ts'
import { sql } from '#sql/query.ts'
import { DataUnusable } from '#sql/unusable.ts'
import { add, type Opened, things } from './things.ts'

export const isMigrated = (engine: Opened) => {
  describe(`${engine.name} runs migrations`, { skip: engine.skip }, () => {
    const more: Migration = {
      owner: 'thing',
      name: '002-more',
      text: "ALTER TABLE thing ADD COLUMN more TEXT; UPDATE thing SET more = 'yes';",
    }

    test('each migration runs once', async (t) => {
      const database = await engine.open(t)
      await migrate(database, [things])
      await add(database, 'a', 'one')
      await database.read(sql`SELECT * FROM thing`, (row) => row)
      await migrate(database, [things, more])
      await migrate(database, [things, more])
      assert.deepEqual(await database.read(sql`SELECT * FROM thing`, (row) => row.more), ['yes'])
    })

    test('concurrent calls of migrate run each migration once', async (t) => {
      const database = await engine.open(t)
      await Promise.all([1, 2, 3].map(() => migrate(database, [things, more])))
      const applied = await readApplied(database)
      assert.deepEqual(
        applied.map(({ name }) => name),
        ['001-things', '002-more'],
      )
    })

    test('a failing migration is rolled back with those before it', async (t) => {
      const database = await engine.open(t)
      const broken = {
        owner: 'thing',
        name: '002-broken',
        text: 'CREATE TABLE half (id TEXT); CREATE NONSENSE;',
      }
      await assert.rejects(
        migrate(database, [things, broken]),
        (error) => error instanceof DataUnusable && error.reason === 'otherTables',
      )
      await assert.rejects(database.read(sql`SELECT * FROM thing`, (row) => row))
      await migrate(database, [things, { ...broken, text: 'CREATE TABLE half (id TEXT);' }])
      await database.read(sql`SELECT * FROM half`, (row) => row)
    })

    test('tryMigrate throws the errors of migrate, but changes nothing', async (t) => {
      const database = await engine.open(t)
      await tryMigrate(database, [things])
      await assert.rejects(database.read(sql`SELECT * FROM thing`, (row) => row))
      await assert.rejects(database.read(sql`SELECT * FROM migration`, (row) => row))
      await migrate(database, [things])
      await assert.rejects(tryMigrate(database, [{ ...things, name: '000-again' }, things]), DataUnusable)
      await assert.rejects(tryMigrate(database, []), DataUnusable)
    })

    test('a database with an unknown migration is refused as newer, and one with an altered migration as different', async (t) => {
      const database = await engine.open(t)
      await migrate(database, [things, more])
      await assert.rejects(migrate(database, [things]), { name: 'DataUnusable', reason: 'newerSchema' })
      const edited = [things, { ...more, text: 'SELECT 1;' }]
      await assert.rejects(migrate(database, edited), { name: 'DataUnusable', reason: 'otherSchema' })
    })
  })
}
