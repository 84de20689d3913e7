import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { AsShown, Flag, Nullable, PastDate, ReadOnly, Requested, Text } from '#core/schema.ts'
import { bodyReaders } from './validation.ts'

const fields = { id: ReadOnly(Text(1, 9)), name: Text(1, 3), note: Nullable(Text(0, 3)) }
const schema = Requested('thing', { ...fields, part: Requested('part', { size: Text(2, 3) }) })
const read = bodyReaders({ now: () => 0 }, 'UTC')(schema)

const refusalOf = async (body: unknown) => {
  const problem = await read(body)
  assert.ok(problem instanceof Problem, 'it was read')
  return [problem.kind, ...problem.resolved.details.map(({ code, target }) => `${target ?? ''} ${code}`)]
}

test('only writable fields are read, an absent nullable one as null', async () => {
  const body = { id: 7, name: 'a', part: { size: 'xx' }, links: [] }
  assert.deepEqual(await read(body), { name: 'a', note: null, part: { size: 'xx' } })
})

test('every failing field has one detail, in schema order', async () => {
  assert.deepEqual(await refusalOf({ part: { size: '' }, note: 'long', name: null }), [
    'bodyInvalid',
    'name NotNull',
    'note Size',
    'part.size Size',
  ])
})

test('a wrong type or an unknown field makes the body unreadable, whatever else is invalid', async () => {
  assert.deepEqual(await refusalOf({ name: 5, part: { size: '', more: 1 } }), [
    'bodyUnreadable',
    'name WrongType',
    'part.more UnknownField',
  ])
  assert.deepEqual(await refusalOf([]), ['bodyUnreadable', ' NotAnObject'])
})

test('a value that is not a date is refused as such, whatever its type', async () => {
  const readDay = bodyReaders({ now: () => 0 }, 'UTC')(Requested('thing', { day: PastDate }))
  for (const day of [5, 'x', '1969-02-30']) {
    const problem = await readDay({ day })
    assert.ok(problem instanceof Problem)
    assert.deepEqual(problem.resolved.details, [
      { code: 'WrongType', wording: 'WrongType.date', target: 'day' },
    ])
  }
})

test('a wrong type is refused in words of its own, and a type without such words by its names', async () => {
  const of = {
    string: Text(1, 3),
    flag: Nullable(Flag),
    part: AsShown({}, 'PUT'),
    count: { type: ['integer', 'null'] },
  }
  const problem = await bodyReaders({ now: () => 0 }, 'UTC')(Requested('thing', of))({
    string: 1,
    flag: 'x',
    part: 'x',
    count: 'x',
  })
  assert.ok(problem instanceof Problem)
  assert.deepEqual(problem.resolved.details, [
    { code: 'WrongType', wording: 'WrongType.string', target: 'string' },
    { code: 'WrongType', wording: 'WrongType.booleanOrNull', target: 'flag' },
    { code: 'WrongType', wording: 'WrongType.objectOrNull', target: 'part' },
    { code: 'WrongType', target: 'count', args: { expected: 'integer or null' } },
  ])
})

test('lengths are counted in code points', async () => {
  assert.ok(await read({ name: '😀😀😀', part: { size: 'xx' } }))
  assert.deepEqual(await refusalOf({ name: '😀😀😀😀', part: { size: 'xx' } }), ['bodyInvalid', 'name Size'])
})

test('bodies with the same mistakes share one refusal; other mistakes get another', async () => {
  const refused = [
    { name: '', part: { size: 'xx' } },
    { name: null, part: { size: 'xx' } },
    { name: 'a', part: { size: '' } },
    { part: { size: 'xx' } },
    { name: 'a' },
    { name: '', part: { size: '' } },
  ]
  const problems = await Promise.all(refused.map((body) => read(body)))
  assert.equal(new Set(problems).size, refused.length)
  assert.deepEqual(await refusalOf(refused[1]), ['bodyInvalid', 'name NotNull'])
  assert.equal(await read({ name: '', part: { size: 'yy' } }), problems[0])
})
