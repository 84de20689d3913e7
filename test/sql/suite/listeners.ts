import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { conflict } from '#core/problem.ts'
import type { Database } from '#sql/database.ts'
import { add, type Opened, until, withThings } from './things.ts'

export const tellsListeners = (engine: Opened) => {
  describe(`${engine.name} notifies listeners`, { skip: engine.skip }, () => {
    const listening = async (database: Database) => {
      const heard: string[] = []
      const stop = await database.listen('things', {
        onPayload: (payload) => heard.push(payload),
        onLoss: () => undefined,
      })
      return { heard, stop }
    }

    test('of published payloads, after the commit', async (t) => {
      const database = await withThings(engine, t)
      const { heard } = await listening(database)
      await database.write(async (tx) => {
        await tx.publish('things', 'a')
        await sleep(20)
        assert.deepEqual(heard, [])
      })
      await until(() => heard.length === 1)
      assert.deepEqual(heard, ['a'])
    })

    test('of no payload that was rolled back, has another topic, or was published after listening ended', async (t) => {
      const database = await withThings(engine, t)
      const { heard, stop } = await listening(database)
      await database
        .write(async (tx) => {
          await tx.publish('things', 'lost')
          throw conflict()
        })
        .catch(() => undefined)
      await database.unit(async () => {
        await database
          .write(async (tx) => {
            await tx.publish('things', 'lost too')
            throw conflict()
          })
          .catch(() => undefined)
        await add(database, 'a', 'one')
      })
      await database.write((tx) => tx.publish('others', 'else'))
      await database.write((tx) => tx.publish('things', 'last'))
      await until(() => heard.length > 0)
      await stop()
      await database.write((tx) => tx.publish('things', 'after'))
      await sleep(20)
      assert.deepEqual(heard, ['last'])
    })
  })
}
