import assert from 'node:assert/strict'
import test from 'node:test'
import type { Change } from '../../src/client/messages.ts'
import { checks } from './checks.ts'
import type { Observations, Write } from './observed.ts'
import { newReading } from './readers.ts'

/** Number, track, type, subject, version. */
const change = (number: number, track: string, type: string, version = 1, subject = 'a'): Change => ({
  ...{ specversion: '1.0', id: `id${number}`, source: `/todos/${subject}`, time: '' },
  ...{ type, subject, sequence: String(number) },
  data: { version, changed: version === 1 ? ['todoTitle', 'finished'] : ['todoTitle'], by: '', track },
})

const todo = (todoTitle: string, todoId = 'a') => ({ todoId, todoTitle, finished: false })

const write = (track: string, ms: number, type: string, value: object | null, subject = 'a'): Write => ({
  ...{ track, begunMs: ms, endedMs: ms + 1, status: 200, cursor: undefined },
  expected: [
    { type, subject, value: value as Observations['lists'][number]['rows'][number], changed: undefined },
  ],
})

const created = change(1, 't1', 'todo.created')
const updated = change(2, 't2', 'todo.updated', 2)
const other = change(3, 't2', 'todo.created', 1, 'b')
const log = [created, updated, other]
const both: Write = {
  ...write('t2', 20, 'todo.updated', todo('two')),
  expected: [
    ...(write('t2', 20, 'todo.updated', todo('two')).expected ?? []),
    ...(write('t2', 20, 'todo.created', todo('b', 'b'), 'b').expected ?? []),
  ],
}
const written = [write('t1', 10, 'todo.created', todo('one')), both]
const reading = (told: readonly Change[], counts: readonly number[], lookMs = 15, isPart = false) => ({
  ...newReading('page', { after: 0, isPart }),
  ...{ told: [...told], places: counts.map((count) => ({ cursor: '', count })) },
  looks: [{ begunMs: lookMs, count: told.length }],
})
const list = (after: number, ...rows: readonly ReturnType<typeof todo>[]) => ({
  ...{ room: 'todos' as const, filter: {}, begunMs: 15, cursor: '', after, rows },
})

const good: Observations = {
  ...{ log, written, maxRepeats: 0 },
  readings: [reading(log, [1, 3])],
  lists: [list(1, todo('one')), list(1, todo('two'), todo('b', 'b')), list(3, todo('b', 'b'), todo('two'))],
  values: new Map([todo('one'), todo('two'), todo('b', 'b')].map((value, at) => [at + 1, value])),
  received: { types: ['todo.created'], numbers: [1, 3] },
}

const found = (observed: Observations) => [
  ...new Set(checks.flatMap((check) => check(observed).map((one) => one.check))),
]

test('a correct feed has no findings', () => assert.deepEqual(found(good), []))

const renumbered = { ...other, sequence: '4' }
const spoiled: readonly [what: string, finds: string, Partial<Observations>][] = [
  ['a gap', 'dense', { log: [created, updated, renumbered] }],
  ['two changes with one id', 'unique', { log: [created, updated, { ...other, id: 'id1' }] }],
  [
    'a version that skips one',
    'ordered',
    { log: [created, { ...updated, data: { ...updated.data, version: 3 } }, other] },
  ],
  [
    'a change after a deletion',
    'ordered',
    { log: [created, { ...updated, type: 'todo.deleted' }, change(3, 't3', 'todo.updated', 3)] },
  ],
  [
    'an earlier write after a later one',
    'ordered',
    { written: [write('t1', 30, 'todo.created', todo('one')), both] },
  ],
  ['an acknowledged write that is not in the log', 'complete', { log: [created] }],
  [
    'a refused write that is in the log',
    'complete',
    { written: [...written.slice(1), { ...write('t1', 10, '', null), expected: [] }] },
  ],
  ['a change that no request made', 'complete', { written: written.slice(1) }],
  [
    'a transaction with a change of another one inside',
    'atomic',
    { log: [created, updated, change(3, 't1', 'todo.created', 1, 'c'), renumbered] },
  ],
  ['a cursor inside a transaction', 'atomic', { readings: [reading(log, [2, 3])] }],
  ['a change that was skipped', 'resumable', { readings: [reading([created, other], [2])] }],
  [
    'a change that was delivered twice',
    'resumable',
    { readings: [reading([created, created, updated, other], [4])] },
  ],
  [
    'a change that was delivered with other content',
    'resumable',
    { readings: [reading([{ ...created, time: 'x' }, updated, other], [3])] },
  ],
  ['a reader that got no further changes', 'live', { readings: [reading([created], [1])] }],
  ['an answer that lacks an acknowledged change', 'fresh', { readings: [reading([created], [1], 25, true)] }],
  ['a list whose cursor is too late', 'bookmarked', { lists: [list(3, todo('one'))] }],
  ['a list that lacks an acknowledged change', 'bookmarked', { lists: [list(0)] }],
  ['a list that mixes two states', 'bookmarked', { lists: [list(1, todo('one'), todo('b', 'b'))] }],
  [
    'a record in the history that differs from the answer to its write',
    'history',
    { values: new Map(good.values).set(3, todo('c', 'b')) },
  ],
  ['a record that is missing from the history', 'history', { values: new Map([...good.values].slice(0, 2)) }],
  [
    'a changed field that the change does not name',
    'previous',
    { values: new Map(good.values).set(1, { ...todo('one'), finished: true }) },
  ],
  ['a webhook delivery that was skipped', 'webhook', { received: { types: ['todo.created'], numbers: [3] } }],
  [
    'a webhook delivery that was repeated',
    'webhook',
    { received: { types: ['todo.created'], numbers: [1, 1, 3] } },
  ],
]

for (const [what, finds, spoil] of spoiled)
  test(`the check "${finds}" finds ${what}`, () => {
    const names = found({ ...good, ...spoil })
    assert.ok(names.includes(finds), `found ${names.join(', ') || 'nothing'}`)
  })
