import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { key, type Query, sql } from '#sql/query.ts'
import { StatementRefused } from './errors.ts'
import { defaultLimits } from './limits.ts'
import { ServerError } from './wire/errors.ts'
import { writeGroups } from './write-groups.ts'

const write = (id: string) => sql`UPDATE note SET count = count + 1 WHERE id = ${key(id)}`
const idOf = ({ keys: [id = ''] }: Query) => id
const duplicate = new ServerError({ C: '23505', M: 'duplicate' })

/** Records the ids of each group, in order, and the id of each write that runs alone. */
const recordedGroups = (refuse: (ids: readonly string[]) => Error | undefined) => {
  const sent: (readonly string[] | string)[] = []
  const writes = writeGroups({
    limits: defaultLimits,
    runTogether: async (queries) => {
      const ids = queries.map(({ query }) => idOf(query))
      sent.push(ids)
      const refused = refuse(ids)
      if (refused) throw refused
      return ids.map(() => 1)
    },
    runAlone: async (query) => {
      sent.push(idOf(query))
      return 1
    },
    refusalOf: (error) => error,
  })
  const writeAll = (...ids: string[]) => Promise.all(ids.map((id) => writes.run(write(id))))
  return { sent, ask: writeAll }
}

describe('Writes that share a transaction', () => {
  test('lock records in the same order, whatever the order of the requests', async () => {
    const { sent, ask } = recordedGroups(() => undefined)
    await ask('c', 'a', 'd', 'b')
    assert.deepEqual(sent, [['a', 'b', 'c', 'd']])
  })

  test('share a statement if their INSERTs have the same text, until one is refused', async () => {
    const texts: string[][] = []
    const writes = writeGroups({
      limits: defaultLimits,
      runTogether: async (queries) => {
        texts.push(queries.map(({ query: { text, values } }) => `${text}: ${values}`))
        if (texts.length === 1) throw new StatementRefused(0, duplicate)
        return queries.map(() => 1)
      },
      runAlone: async () => 1,
      refusalOf: (error) => error,
    })
    const insert = (id: string) => writes.run(sql`INSERT INTO note (id, count) VALUES (${key(id)}, ${7})`)
    assert.deepEqual(await Promise.all([insert('b'), insert('a')]), [1, 1])
    const one = 'INSERT INTO note (id, count) VALUES (?, ?)'
    assert.deepEqual(texts, [[`${one}, (?, ?): a,7,b,7`], [`${one}: a,7`, `${one}: b,7`]])
  })

  test('run alone after five refused attempts in a group', async () => {
    const { sent, ask } = recordedGroups((ids) =>
      ids.length > 0 ? new StatementRefused(0, duplicate) : undefined,
    )
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    assert.deepEqual(await ask(...ids), [1, 1, 1, 1, 1, 1, 1, 1])
    const triedTogether = sent.filter((one) => typeof one !== 'string').map(({ length }) => length)
    assert.deepEqual(triedTogether, [8, 7, 6, 5, 4])
    assert.deepEqual(sent.filter((one) => typeof one === 'string').toSorted(), ids)
  })
})
