import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Answer } from '../../test/harness.ts'
import { person, profile } from '../../test/people.ts'
import { type Body, body, content, mergePatch, rows, service } from '../../test/scenarios/table.ts'

const app = service()

/** The expected state of the service: each item as it was last returned, in order of creation. */
interface Model {
  readonly todos: Body[]
  readonly members: Body[]
  /** The ETag of each item after its last change, by id. */
  readonly tags: Map<unknown, string>
}

const name = fc.constantFrom('Ann', 'ann', 'Bo', '100%', 'a_b', '山田', 'ＡＮＮ', 'Groß')
const title = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })

/** The random choices for a step, which uses some of them. */
const choices = {
  /** Picks one of the existing items. */
  at: fc.nat({ max: 20 }),
  title,
  first: name,
  last: name,
  todoPatch: fc.record({ todoTitle: title, finished: fc.boolean() }, { requiredKeys: [] }),
  memberPatch: fc.record(
    {
      firstName: name,
      address: fc.option(fc.constantFrom('', 'Kyoto')),
      genderCode: fc.constantFrom('0', '1', '2'),
    },
    { requiredKeys: [] },
  ),
  finished: fc.option(fc.boolean()),
  sought: fc.option(name),
  page: fc.nat({ max: 3 }),
  size: fc.integer({ min: 1, max: 5 }),
  isConditional: fc.boolean(),
  isDescending: fc.boolean(),
  isReduced: fc.boolean(),
}

type Choice = {
  readonly [K in keyof typeof choices]: (typeof choices)[K] extends fc.Arbitrary<infer T> ? T : never
}

const call = async (
  status: number,
  line: string,
  sent?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const answer = await app()(line, sent, headers)
  assert.equal(answer.status, status, answer.text)
  return answer
}

const steps: Readonly<Record<string, (model: Model, chosen: Choice) => Promise<void>>> = {
  'create todo': async (model, { title }) => {
    const answer = await call(201, 'POST /todos', { todoTitle: title })
    const { todoId, createdAt } = body(answer)
    rememberCreated(model.todos, { todoId, todoTitle: title, finished: false, createdAt }, { model, answer })
  },
  'finish todo': async (model, { at, isConditional }) =>
    change(model, pick(model.todos, at), { finished: true }, (path, tag) =>
      call(200, `PUT ${path}`, undefined, isConditional ? { 'if-match': tag } : {}),
    ),
  'patch todo': async (model, { at, todoPatch }) =>
    change(model, pick(model.todos, at), todoPatch, (path) =>
      call(200, `PATCH ${path}`, todoPatch, mergePatch),
    ),
  'refuse a stale change': async ({ todos }, { at }) => {
    const todo = pick(todos, at)
    if (todo) await call(412, `PUT ${pathOf(todo)}`, undefined, { 'if-match': '"0-stale"' })
  },
  'get todo': async ({ todos, tags }, { at }) => {
    const todo = pick(todos, at)
    if (!todo) return
    const answer = await call(200, `GET ${pathOf(todo)}`)
    assert.deepEqual([answer.body, answer.headers.etag], [todo, tags.get(todo.todoId)])
  },
  'delete todo': async ({ todos }, { at }) => remove(todos, at),
  'list todos': async ({ todos }, { finished }) => {
    const query = finished === null ? '' : `?finished=${finished}`
    const expected = todos.filter((todo) => finished === null || todo.finished === finished)
    assert.deepEqual(rows(await call(200, `GET /todos${query}`)), expected)
  },
  'page todos': async ({ todos }, { page, size, isDescending }) => {
    const order = isDescending ? ',desc' : ''
    const answer = await call(200, `GET /todos?page=${page}&size=${size}&sort=createdAt${order}`)
    const times = todos.map((todo) => todo.createdAt)
    const expected = isDescending ? times.reverse() : times
    const shown = content(answer).map((todo) => todo.createdAt)
    assert.deepEqual(shown, expected.slice(page * size, (page + 1) * size))
    const { totalElements, totalPages } = body(answer)
    assert.deepEqual([totalElements, totalPages], [todos.length, Math.ceil(todos.length / size)])
  },
  'create member': async (model, { first, last }) => {
    const sent = person({ firstName: first, lastName: last })
    const answer = await call(201, 'POST /members', sent)
    const { memberId, createdAt, lastModifiedAt, credential } = body(answer)
    assert.equal((credential as Body).signId, String(sent.emailAddress).toLowerCase())
    const expected = { ...sent, memberId, createdAt, lastModifiedAt, credential }
    rememberCreated(model.members, expected, { model, answer })
  },
  'refuse a used sign id': async ({ members }, { at }) => {
    const member = pick(members, at)
    if (!member) return
    const signId = String((member.credential as Body).signId).toUpperCase()
    await call(409, 'POST /members', person({ credential: { signId, password: 'open sesame' } }))
  },
  'put member': async (model, { at, first, isConditional }) => {
    const fields = profile({ firstName: first, address: null })
    await change(model, pick(model.members, at), fields, (path, tag) =>
      call(200, `PUT ${path}`, fields, isConditional ? { 'if-match': tag } : {}),
    )
  },
  'patch member': async (model, { at, memberPatch }) =>
    change(model, pick(model.members, at), memberPatch, (path) =>
      call(200, `PATCH ${path}`, memberPatch, mergePatch),
    ),
  'refuse an invalid member': async ({ members }, { at }) => {
    const member = pick(members, at)
    if (member) await call(400, `PUT ${pathOf(member)}`, profile({ genderCode: '9' }))
  },
  'get member': async ({ members }, { at }) => {
    const member = pick(members, at)
    if (member) assert.deepEqual((await call(200, `GET ${pathOf(member)}`)).body, member)
  },
  'delete member': async ({ members }, { at }) => remove(members, at),
  'list members': async ({ members }, { sought, isReduced }) => {
    const query = new URLSearchParams({
      ...(sought === null ? {} : { name: sought }),
      ...(isReduced ? { view: 'reduced' } : {}),
    })
    const expected = members
      .filter((member) => sought === null || matchesName(member, sought))
      .map((member) => (isReduced ? reduced(member) : member))
    assert.deepEqual(rows(await call(200, `GET /members?${query}`)), expected)
  },
}

const todosFirst = ['create todo', 'create todo']
const step = fc.record({ do: fc.constantFrom(...todosFirst, ...Object.keys(steps)), ...choices })

test('the service and a plain model agree over random sequences of operations', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
    async (chosen) => {
      const model: Model = { todos: [], members: [], tags: new Map() }
      for (const path of ['/todos', '/members']) {
        for (const item of rows(await call(200, `GET ${path}`))) await call(204, `DELETE ${pathOf(item)}`)
        assert.deepEqual(rows(await call(200, `GET ${path}`)), [])
      }
      for (const one of chosen) await steps[one.do]?.(model, one)
      assert.deepEqual(rows(await call(200, 'GET /todos')), model.todos)
      assert.deepEqual(rows(await call(200, 'GET /members')), model.members)
    },
  )
  await fc.assert(property, {
    numRuns: Number(process.env.RUNS ?? 5),
    includeErrorInReport: true,
    seed: Number(process.env.SEED ?? 20261121),
    endOnFailure: true,
    interruptAfterTimeLimit: 60_000,
  })
})

/** Changes an item, if there is one, and expects the changed item and its tag in the answer. */
const change = async (
  { tags }: Model,
  item: Body | undefined,
  fields: Body,
  send: (path: string, tag: string) => Promise<Answer>,
): Promise<void> => {
  if (!item) return
  const answer = await send(pathOf(item), tags.get(idOf(item)) ?? '')
  const { lastModifiedAt } = body(answer)
  if (lastModifiedAt !== undefined) assert.ok(String(lastModifiedAt) >= String(item.lastModifiedAt))
  Object.assign(item, fields, lastModifiedAt === undefined ? {} : { lastModifiedAt })
  assert.deepEqual(answer.body, item)
  tags.set(idOf(item), answer.headers.etag ?? '')
}

const remove = async (list: Body[], at: number): Promise<void> => {
  const item = pick(list, at)
  if (!item) return
  await call(204, `DELETE ${pathOf(item)}`)
  list.splice(list.indexOf(item), 1)
  await call(404, `GET ${pathOf(item)}`)
}

const rememberCreated = (
  list: Body[],
  expected: Body,
  { model, answer }: { model: Model; answer: Answer },
): void => {
  assert.deepEqual(answer.body, expected)
  list.push(expected)
  model.tags.set(idOf(expected), answer.headers.etag ?? '')
}

const pick = (list: readonly Body[], at: number): Body | undefined => list[at % Math.max(list.length, 1)]
const idOf = (item: Body) => item.todoId ?? item.memberId
const pathOf = (item: Body) => (item.todoId ? `/todos/${item.todoId}` : `/members/${item.memberId}`)
const reduced = ({ memberId, firstName, lastName }: Body): Body => ({ memberId, firstName, lastName })

/** Folds names as the service does, but only as far as these names need it. */
const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss')

const matchesName = ({ firstName, lastName }: Body, name: string): boolean =>
  [`${firstName} ${lastName}`, `${lastName} ${firstName}`].some((whole) => fold(whole).includes(fold(name)))
