import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { CodeList, Day, Flag, Nullable, Reference, refusal, resource, Starting, Text } from '#src/resource.ts'
import { asRoot, enrol, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { type Answer, startApp } from '../harness.ts'

const shelf = resource({ name: 'shelf', fields: { label: Text(1, 20), isOpen: Starting(true, Flag) } })

/** A shelf takes two books that are not gone, and only the action makes one gone. */
const book = resource({
  name: 'book',
  fields: {
    title: Text(1, 20),
    shelfId: Reference('shelf'),
    goneOn: Nullable(Day),
    state: Starting('new', CodeList('CL_BOOK', ['new', 'gone'])),
  },
  rules: {
    async create(one, { count, find }) {
      const place = await find(shelf, one.shelfId)
      if (place?.isOpen === false)
        throw refusal({ target: 'shelfId', code: 'Closed', message: `${place.label} is closed.` })
      // Between the two statements another creation could do the same.
      if ((await count('book', { shelfId: one.shelfId, goneOn: null })) >= 2)
        throw refusal({ code: 'Full', message: { en: 'The shelf is full.', ja: '棚がいっぱいです。' } })
      return one
    },
    update(one, before, { action }) {
      if (one.state !== before.state && action !== 'take')
        throw refusal({
          target: 'state',
          code: 'ByAction',
          message: { en: 'Take it.', ja: '取ってください。' },
        })
      return one
    },
  },
  actions: {
    take: { summary: 'Take a book', does: (one) => ({ ...one, state: 'gone', goneOn: '2026-11-21' }) },
    ask: {
      summary: 'Count by no field',
      does: async (one, { count }) => ((await count('book', { titel: 'a' })) ? one : one),
    },
  },
})

const patch = { 'Content-Type': 'application/merge-patch+json' }
const japanese = { 'Accept-Language': 'ja' }

const idOf = ({ body }: Answer, name: string) =>
  String((body as Readonly<Record<string, unknown>>)[`${name}Id`])

for (const { name: engine, url, skip } of databases)
  describe(`${engine}: a rule`, { skip }, () => {
    const start = async (t: TestContext) => {
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [shelf, book] })
      const shelfId = idOf(await api('POST /shelfs', { label: 'A' }), 'shelf')
      return { api, shelfId }
    }

    test('can limit the number of records, even if many are created concurrently', async (t) => {
      const { api, shelfId } = await start(t)
      const all = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((one) => api('POST /books', { title: `${one}`, shelfId })),
      )
      assert.deepEqual(all.map(({ status }) => status).toSorted(), [201, 201, 409, 409, 409, 409])
      const made = all.filter(({ status }) => status === 201)
      assert.equal((await api(`POST /books/${made.map((one) => idOf(one, 'book'))[0]}/take`)).status, 200)
      assert.equal((await api('POST /books', { title: 'next', shelfId })).status, 201)
      const refused = await api('POST /books', { title: 'last', shelfId }, japanese)
      assert.deepEqual(refused.body, { code: 'Full', message: '棚がいっぱいです。', byRule: true })
    })

    test('reads records of another resource; an unknown field in its query is an error of the rule', async (t) => {
      const { api } = await start(t)
      const closed = idOf(await api('POST /shelfs', { label: 'B', isOpen: false }), 'shelf')
      assert.match((await api('POST /books', { title: 'a', shelfId: closed })).text, /"B is closed\."/)
      const { shelfId } = (await api('POST /shelfs', { label: 'C' })).body as { shelfId: string }
      const id = idOf(await api('POST /books', { title: 'a', shelfId }), 'book')
      assert.equal((await api(`POST /books/${id}/ask`)).status, 500)
    })

    test('gets the name of the action that runs, and refuses in the language of the caller', async (t) => {
      const { api, shelfId } = await start(t)
      const id = idOf(await api('POST /books', { title: 'a', shelfId }), 'book')
      const refused = await api(`PATCH /books/${id}`, { state: 'gone' }, { ...patch, ...japanese })
      assert.deepEqual((refused.body as { details: unknown }).details, [
        { code: 'ByAction', message: '取ってください。', target: 'state', byRule: true },
      ])
      assert.match((await api(`PATCH /books/${id}`, { state: 'gone' }, patch)).text, /Take it\./)
      assert.equal((await api(`POST /books/${id}/take`)).status, 200)
    })
  })

const asked = [
  'desks:read',
  'desks:create',
  'desks:update',
  'todos:delete',
  'members:read',
  'keys:create',
  'x:read',
]

/** Its label becomes the list of the asked scopes that its creator has. */
const desk = resource({
  name: 'desk',
  fields: { label: Text(0, 200) },
  access: { member: ['read', 'create'] },
  rules: { create: (one, { caller }) => ({ ...one, label: asked.filter(caller.may).join(' ') }) },
})

test('caller.may in a rule is true only for scopes that the caller has the right to use', async (t) => {
  const api = await startBasic(t, {}, { resources: [desk] })
  const mary = await enrol(api, 'mary')
  const scopes = ['desks:create', 'members:read']
  const key = bearer(fieldOf(await api('POST /keys', { name: 'a', scopes }, asRoot), 'secret'))
  const label = async (as: Readonly<Record<string, string>>) =>
    fieldOf(await api('POST /desks', { label: '' }, as), 'label')
  assert.equal(await label(mary.headers), 'desks:read desks:create todos:delete')
  assert.equal(await label(key), 'desks:create members:read')
  assert.equal(await label(asRoot), asked.join(' '))
})
