import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Answer, Api } from '../harness.ts'
import { person, profile } from '../people.ts'
import { type Body, body, content, mergePatch, rows, service } from './table.ts'

const app = service()

/** The expected state of the service: each item as it was last returned, in order of creation. */
interface Model {
  readonly todos: Body[]
  readonly members: Body[]
  /** The ETag of each item after its last change, by id. */
  readonly tags: Map<unknown, string>
}

/** One step; `at` picks one of the existing items. */
type Step =
  | { readonly do: 'create todo'; readonly title: string }
  | { readonly do: 'finish' | 'get todo' | 'delete todo'; readonly at: number }
  | { readonly do: 'patch todo'; readonly at: number; readonly patch: Body }
  | { readonly do: 'finish if unchanged'; readonly at: number; readonly stale: boolean }
  | { readonly do: 'list todos'; readonly finished: boolean | undefined }
  | { readonly do: 'page todos'; readonly page: number; readonly size: number; readonly descending: boolean }
  | { readonly do: 'create member'; readonly first: string; readonly last: string }
  | { readonly do: 'take a used sign id'; readonly at: number }
  | { readonly do: 'put member' | 'put member if unchanged'; readonly at: number; readonly first: string }
  | { readonly do: 'patch member'; readonly at: number; readonly patch: Body }
  | { readonly do: 'get member' | 'delete member' | 'refuse member'; readonly at: number }
  | { readonly do: 'list members'; readonly name: string | undefined; readonly reduced: boolean }

const name = fc.constantFrom('Ann', 'ann', 'Bo', '100%', 'a_b', '山田', 'ＡＮＮ', 'Groß')
const at = fc.nat({ max: 20 })
const title = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
const todoPatch = fc.record({ todoTitle: title, finished: fc.boolean() }, { requiredKeys: [] })
const memberPatch = fc.record(
  {
    firstName: name,
    address: fc.option(fc.constantFrom('', 'Kyoto')),
    genderCode: fc.constantFrom('0', '1', '2'),
  },
  { requiredKeys: [] },
)
const kind = <K extends string>(value: K) => fc.constant(value)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: kind('create todo'), title }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('finish' as const, 'get todo' as const, 'delete todo' as const),
      at,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: kind('patch todo'), at, patch: todoPatch }) },
  { weight: 2, arbitrary: fc.record({ do: kind('finish if unchanged'), at, stale: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: kind('list todos'), finished: fc.option(fc.boolean(), { nil: undefined }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('page todos'),
      page: fc.nat({ max: 3 }),
      size: fc.integer({ min: 1, max: 5 }),
      descending: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind('create member'), first: name, last: name }) },
  { weight: 1, arbitrary: fc.record({ do: kind('take a used sign id'), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('put member' as const, 'put member if unchanged' as const),
      at,
      first: name,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: kind('patch member'), at, patch: memberPatch }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('get member' as const, 'delete member' as const, 'refuse member' as const),
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('list members'),
      name: fc.option(name, { nil: undefined }),
      reduced: fc.boolean(),
    }),
  },
)

test('the service and a plain model agree over random sequences of operations', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
    async (steps) => {
      await clear(app())
      const model: Model = { todos: [], members: [], tags: new Map() }
      for (const one of steps) await runStep(app(), model, one)
      assert.deepEqual(rows(await app()('GET /todos')), model.todos)
      assert.deepEqual(rows(await app()('GET /members')), model.members)
    },
  )
  await fc.assert(property, {
    numRuns: 25,
    includeErrorInReport: true,
    seed: Number(process.env.SEED ?? 20261121),
    endOnFailure: true,
    interruptAfterTimeLimit: 60_000,
  })
})

const clear = async (api: Api): Promise<void> => {
  for (const todo of rows(await api('GET /todos')))
    await expectStatus(api(`DELETE /todos/${todo.todoId}`), 204)
  for (const member of rows(await api('GET /members')))
    await expectStatus(api(`DELETE /members/${member.memberId}`), 204)
  assert.deepEqual(rows(await api('GET /todos')), [])
  assert.deepEqual(rows(await api('GET /members')), [])
}

const runStep = async (api: Api, model: Model, step: Step): Promise<void> => {
  switch (step.do) {
    case 'create todo': {
      const answer = await expectStatus(api('POST /todos', { todoTitle: step.title }), 201)
      const { todoId, createdAt } = body(answer)
      rememberCreated(model, answer, model.todos, {
        todoId,
        todoTitle: step.title,
        finished: false,
        createdAt,
      })
      return
    }
    case 'finish':
      return await changeTodo(model, step.at, (path) => api(`PUT ${path}`), { finished: true })
    case 'patch todo':
      return await changeTodo(
        model,
        step.at,
        (path) => api(`PATCH ${path}`, step.patch, mergePatch),
        step.patch,
      )
    case 'finish if unchanged':
      return await finishIfUnchanged(api, model, step)
    case 'get todo': {
      const todo = pick(model.todos, step.at)
      if (todo === undefined) return
      const answer = await expectStatus(api(`GET /todos/${todo.todoId}`), 200)
      assert.deepEqual(answer.body, todo)
      assert.equal(answer.headers.etag, model.tags.get(todo.todoId))
      return
    }
    case 'delete todo':
      return await remove(api, model.todos, step.at, (todo) => `/todos/${todo.todoId}`)
    case 'list todos': {
      const query = step.finished === undefined ? '' : `?finished=${step.finished}`
      const expected = model.todos.filter(
        (todo) => step.finished === undefined || todo.finished === step.finished,
      )
      assert.deepEqual(rows(await expectStatus(api(`GET /todos${query}`), 200)), expected)
      return
    }
    case 'page todos': {
      const { page, size, descending } = step
      const answer = await expectStatus(
        api(`GET /todos?page=${page}&size=${size}&sort=createdAt${descending ? ',desc' : ''}`),
        200,
      )
      const times = model.todos.map((todo) => todo.createdAt)
      const expected = descending ? times.reverse() : times
      const shown = content(answer).map((todo) => todo.createdAt)
      assert.deepEqual(shown, expected.slice(page * size, (page + 1) * size))
      assert.equal(body(answer).totalElements, model.todos.length)
      assert.equal(body(answer).totalPages, Math.ceil(model.todos.length / size))
      return
    }
    case 'create member': {
      const sent = person({ firstName: step.first, lastName: step.last })
      const answer = await expectStatus(api('POST /members', sent), 201)
      const { memberId, createdAt, lastModifiedAt, credential } = body(answer)
      const expected = { ...sent, memberId, createdAt, lastModifiedAt, credential }
      assert.equal((credential as Body).signId, String(sent.emailAddress).toLowerCase())
      rememberCreated(model, answer, model.members, expected)
      return
    }
    case 'take a used sign id': {
      const member = pick(model.members, step.at)
      if (member === undefined) return
      const signId = String((member.credential as Body).signId).toUpperCase()
      await expectStatus(
        api('POST /members', person({ credential: { signId, password: 'open sesame' } })),
        409,
      )
      return
    }
    case 'put member':
    case 'put member if unchanged': {
      const fields = profile({ firstName: step.first, address: null })
      return await changeMember(model, step.at, fields, (path, tag) => {
        return api(`PUT ${path}`, fields, step.do === 'put member' ? {} : { 'if-match': tag })
      })
    }
    case 'patch member':
      return await changeMember(model, step.at, step.patch, (path) =>
        api(`PATCH ${path}`, step.patch, mergePatch),
      )
    case 'get member': {
      const member = pick(model.members, step.at)
      if (member === undefined) return
      assert.deepEqual((await expectStatus(api(`GET /members/${member.memberId}`), 200)).body, member)
      return
    }
    case 'delete member':
      return await remove(api, model.members, step.at, (member) => `/members/${member.memberId}`)
    case 'refuse member': {
      const member = pick(model.members, step.at)
      if (member === undefined) return
      await expectStatus(api(`PUT /members/${member.memberId}`, profile({ genderCode: '9' })), 400)
      return
    }
    case 'list members': {
      const query = new URLSearchParams({
        ...(step.name === undefined ? {} : { name: step.name }),
        ...(step.reduced ? { view: 'reduced' } : {}),
      })
      const expected = model.members
        .filter((member) => step.name === undefined || matchesName(member, step.name))
        .map((member) =>
          step.reduced
            ? { memberId: member.memberId, firstName: member.firstName, lastName: member.lastName }
            : member,
        )
      assert.deepEqual(rows(await expectStatus(api(`GET /members?${query}`), 200)), expected)
    }
  }
}

const changeTodo = async (
  model: Model,
  at: number,
  change: (path: string) => Promise<Answer>,
  fields: Body,
): Promise<void> => {
  const todo = pick(model.todos, at)
  if (todo === undefined) return
  const answer = await expectStatus(change(`/todos/${todo.todoId}`), 200)
  Object.assign(todo, fields)
  assert.deepEqual(answer.body, todo)
  model.tags.set(todo.todoId, answer.headers.etag ?? '')
}

const finishIfUnchanged = async (
  api: Api,
  model: Model,
  step: { at: number; stale: boolean },
): Promise<void> => {
  const todo = pick(model.todos, step.at)
  if (todo === undefined) return
  const path = `/todos/${todo.todoId}`
  if (step.stale) {
    await expectStatus(api(`PUT ${path}`, undefined, { 'if-match': '"0-stale"' }), 412)
    return
  }
  const tag = model.tags.get(todo.todoId) ?? ''
  await changeTodo(model, step.at, () => api(`PUT ${path}`, undefined, { 'if-match': tag }), {
    finished: true,
  })
}

const changeMember = async (
  model: Model,
  at: number,
  fields: Body,
  change: (path: string, tag: string) => Promise<Answer>,
): Promise<void> => {
  const member = pick(model.members, at)
  if (member === undefined) return
  const answer = await expectStatus(
    change(`/members/${member.memberId}`, model.tags.get(member.memberId) ?? ''),
    200,
  )
  const { lastModifiedAt } = body(answer)
  if (Object.keys(fields).length > 0) assert.ok(String(lastModifiedAt) >= String(member.lastModifiedAt))
  Object.assign(member, fields, { lastModifiedAt })
  assert.deepEqual(answer.body, member)
  model.tags.set(member.memberId, answer.headers.etag ?? '')
}

const remove = async (api: Api, list: Body[], at: number, path: (item: Body) => string): Promise<void> => {
  const item = pick(list, at)
  if (item === undefined) return
  await expectStatus(api(`DELETE ${path(item)}`), 204)
  list.splice(list.indexOf(item), 1)
  await expectStatus(api(`GET ${path(item)}`), 404)
}

const rememberCreated = (model: Model, answer: Answer, list: Body[], expected: Body): void => {
  assert.deepEqual(answer.body, expected)
  list.push(expected)
  model.tags.set(expected.todoId ?? expected.memberId, answer.headers.etag ?? '')
}

const expectStatus = async (answer: Promise<Answer>, status: number): Promise<Answer> => {
  const resolved = await answer
  assert.equal(resolved.status, status, resolved.text)
  return resolved
}

const pick = (list: readonly Body[], at: number): Body | undefined => list[at % Math.max(list.length, 1)]

/** Folds names as the service does, as far as the names used here need it. */
const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss')

const matchesName = ({ firstName, lastName }: Body, name: string): boolean =>
  [`${firstName} ${lastName}`, `${lastName} ${firstName}`].some((whole) => fold(whole).includes(fold(name)))
