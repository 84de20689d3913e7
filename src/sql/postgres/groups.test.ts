import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { key, type Query, sql } from '#sql/query.ts'
import { StatementRefused } from './errors.ts'
import { groups } from './groups.ts'
import { defaultLimits } from './limits.ts'
import { ServerError } from './wire/errors.ts'

const write = (id: string) => sql`UPDATE note SET count = count + 1 WHERE id = ${key(id)}`
const idOf = ({ keys: [id = ''] }: Query) => id
const lockTimeout = new ServerError({ C: '55P03', M: 'lock timeout' })
const duplicate = new ServerError({ C: '23505', M: 'duplicate' })

const someTurns = async () => {
  for (let turn = 0; turn < 10; turn++) await nextTurn()
}

/** Records what is sent: for each group its ids in order, and for each write alone its id. */
const watched = (refuse: (ids: readonly string[]) => Error | undefined, locked?: Promise<void>) => {
  const sent: (readonly string[] | string)[] = []
  const writes = groups({
    limits: defaultLimits,
    together: async (queries) => {
      const ids = queries.map(idOf)
      sent.push(ids)
      const refused = refuse(ids)
      if (refused) throw refused
      return ids.map(() => 1)
    },
    alone: async (query) => {
      sent.push(idOf(query))
      await locked
      return 1
    },
    refusalOf: (error) => error,
  })
  const ask = (...ids: string[]) => Promise.all(ids.map((id) => writes.run(write(id))))
  return { sent, ask }
}

describe('Writes that share a transaction', () => {
  test('take their locks in one order, whatever order they were requested in', async () => {
    const { sent, ask } = watched(() => undefined)
    await ask('c', 'a', 'd', 'b')
    assert.deepEqual(sent, [['a', 'b', 'c', 'd']])
  })

  test('are run alone after five refused attempts in a group', async () => {
    const { sent, ask } = watched((ids) => (ids.length > 0 ? new StatementRefused(0, duplicate) : undefined))
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    assert.deepEqual(await ask(...ids), [1, 1, 1, 1, 1, 1, 1, 1])
    const triedTogether = sent.filter((one) => typeof one !== 'string').map(({ length }) => length)
    assert.deepEqual(triedTogether, [8, 7, 6, 5, 4])
    assert.deepEqual(sent.filter((one) => typeof one === 'string').toSorted(), ids)
  })

  test('leave out a record whose lock timed out, until a write alone has had that lock', async () => {
    let isHeld = true
    const { sent, ask } = watched((ids) => {
      const place = ids.indexOf('b')
      return isHeld && place >= 0 ? new StatementRefused(place, lockTimeout) : undefined
    })
    await ask('a', 'b', 'c')
    assert.deepEqual(sent.splice(0), [['a', 'b', 'c'], 'b', ['a', 'c']])
    isHeld = false
    await ask('a', 'b')
    assert.deepEqual(sent, [['a', 'b']])
  })

  test('leave out such a record from later groups too, while its lock is held', async () => {
    const released = Promise.withResolvers<void>()
    const refuse = (ids: readonly string[]) =>
      ids.includes('b') ? new StatementRefused(ids.indexOf('b'), lockTimeout) : undefined
    const { sent, ask } = watched(refuse, released.promise)
    const first = ask('a', 'b')
    await someTurns()
    const second = ask('b', 'c')
    await someTurns()
    released.resolve()
    await Promise.all([first, second])
    assert.deepEqual(sent, [['a', 'b'], 'b', ['a'], 'b', ['c']])
  })
})
