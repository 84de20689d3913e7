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
