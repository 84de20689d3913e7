import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { isNullable } from '#core/schema.ts'
import type { Declaration, Declared } from '#resources/declaration.ts'
import { todo } from '#resources/todo/index.ts'
import { CodeList, extend, Nullable, Reference, resource, Text, Whole } from '#src/resource.ts'
import { databases } from '../engines.ts'
import { type Api, startApp } from '../harness.ts'
import { csv, importsOf } from '../import/imports.ts'
import { john, person } from '../people.ts'
import { loan, order } from './loan.ts'

type Values = Readonly<Record<string, unknown>>

interface Case {
  readonly declared: Pick<Declared, 'name' | 'plural'> & { readonly declaration: unknown }
  /** The body of a creation, different for each number. */
  readonly body: (number: number, member: string) => Values
  /** The body of a PATCH. */
  readonly change: Values
  /** A field that finds the record by a part of its text, and its parameter. */
  readonly found: readonly [field: string, parameter: string]
}

const numbered = (number: number) => String(number).padStart(3, '0')

/** Shipped resources and the example: each passes the same checks on both engines. */
const cases: readonly Case[] = [
  {
    declared: todo,
    body: (number) => ({ todoTitle: `Title ${numbered(number)}` }),
    change: { todoTitle: 'Changed' },
    found: ['todoTitle', 'title'],
  },
  {
    declared: loan,
    body: (number, memberId) => ({
      ...{ memberId, title: `Title ${numbered(number)}`, shelf: `S${numbered(number)}` },
      ...{ due: '2026-12-24', kind: 'book' },
    }),
    change: { title: 'Changed' },
    found: ['title', 'title'],
  },
  {
    declared: order,
    body: (number) => ({ select: `Title ${numbered(number)}`, from: number % 2 === 0 ? null : 'shop' }),
    change: { select: 'Changed' },
    found: ['select', 'select'],
  },
]

const patch = { 'Content-Type': 'application/merge-patch+json' }
const unknownId = '019e6a3c-6c00-7000-8000-000000000009'

const start = async (t: TestContext, url: string) => {
  const api = await startApp(t, { DATABASE_URL: url }, { resources: [loan, order] })
  const member = (await api('POST /members', john)).body as { memberId: string }
  return { api, memberId: member.memberId }
}

const made = async (api: Api, { declared, body }: Case, number: number, memberId: string) => {
  const answer = await api(`POST /${declared.plural}`, body(number, memberId))
  assert.equal(answer.status, 201, answer.text)
  return answer.body as Values
}

// Only loans are tested on the second engine: the SQL of all resources is made in one way, and loans have every type of field.
for (const { name: engine, url, skip } of databases)
  for (const one of engine === 'SQLite' ? cases : cases.filter(({ declared }) => declared === loan)) {
    const { declared, body, change, found } = one
    const { name, plural } = declared
    const idField = `${name}Id`
    const declaration = declared.declaration as Declaration

    describe(`${engine}: ${plural}`, { skip }, () => {
      test('are created, read, patched and deleted, with a history and entries in the change log', async (t) => {
        const { api, memberId } = await start(t, await url(t))
        const created = await api(`POST /${plural}`, body(1, memberId))
        assert.equal(created.status, 201, created.text)
        const record = created.body as Values
        const path = `/${plural}/${record[idField]}`
        assert.equal(created.headers.location, `${api.url}/api/v1${path}`)
        const read = await api(`GET ${path}`)
        assert.deepEqual(read.body, record)
        assert.equal(
          (await api(`GET ${path}`, undefined, { 'If-None-Match': read.headers.etag ?? '' })).status,
          304,
        )
        const changed = await api(`PATCH ${path}`, change, { ...patch, 'If-Match': read.headers.etag ?? '' })
        assert.equal(changed.status, 200, changed.text)
        assert.partialDeepStrictEqual(changed.body, change)
        const late = await api(`PATCH ${path}`, change, { ...patch, 'If-Match': read.headers.etag ?? '' })
        assert.equal(late.status, 412)
        const same = await api(`PATCH ${path}`, change, patch)
        assert.equal(same.headers.etag, changed.headers.etag)
        assert.equal((await api(`DELETE ${path}`)).status, 204)
        assert.equal((await api(`GET ${path}`)).status, 404)
        assert.equal((await api(`DELETE ${path}`)).status, 404)
        const history = (await api(`GET ${path}/history`)).body as {
          content: { change: Values; value: Values }[]
        }
        assert.deepEqual(
          history.content.map(({ change }) => change.type),
          [`${name}.deleted`, `${name}.updated`, `${name}.created`],
        )
        assert.deepEqual(history.content.at(-1)?.value, record)
        const changes = (await api(`GET /changes?types=${name}.updated`)).body as {
          content: { data: Values }[]
        }
        assert.deepEqual(
          changes.content.map(({ data }) => data.changed),
          [Object.keys(change)],
        )
      })

      test('are listed whole, by page and by cursor, sorted by every field, and found by a search', async (t) => {
        const { api, memberId } = await start(t, await url(t))
        const ids: unknown[] = []
        for (let number = 1; number <= 5; number++)
          ids.push((await made(api, one, number, memberId))[idField])
        const idsIn = (body: unknown) =>
          ([(body as { content?: Values[] }).content ?? body].flat() as Values[]).map((item) => item[idField])
        assert.deepEqual(idsIn((await api(`GET /${plural}`)).body), ids)
        const page = (await api(`GET /${plural}?page=1&size=2`)).body as Values
        assert.deepEqual([idsIn(page), page.totalElements], [ids.slice(2, 4), 5])
        for (const field of [...Object.keys(declaration.fields), 'createdAt', idField]) {
          const walked: unknown[] = []
          let next: string | undefined = ''
          while (next !== undefined) {
            const slice = (
              await api(`GET /${plural}?cursor=${next}&size=2&sort=${field},desc&sort=${idField}`)
            ).body
            walked.push(...idsIn(slice))
            const { links } = slice as { links: { rel: string; href: string }[] }
            const link = links.find(({ rel }) => rel === 'next')
            next = link && (new URL(link.href).searchParams.get('cursor') ?? '')
          }
          assert.deepEqual(walked.toSorted(), ids.toSorted(), field)
        }
        assert.deepEqual(idsIn((await api(`GET /${plural}?${found[1]}=tle%20003`)).body), [ids[2]])
        assert.deepEqual(idsIn((await api(`GET /${plural}?q=LE%20004&page=0`)).body), [ids[3]])
        assert.deepEqual(idsIn((await api(`GET /${plural}?createdFrom=2100-01-01`)).body), [])
        const all = (await api(`GET /${plural}`)).body as Values[]
        for (const [field] of Object.entries(declaration.fields).filter(([, one]) => isNullable(one)))
          for (const isNull of [true, false]) {
            const expected = all.filter((record) => (record[field] === null) === isNull)
            const some = await api(`GET /${plural}?${field}IsNull=${isNull}`)
            assert.deepEqual(idsIn(some.body), idsIn(expected), field)
          }
        const strict = await api(`GET /${plural}?nothing=1`, undefined, { Prefer: 'handling=strict' })
        assert.equal(strict.status, 400)
      })

      // The rest says nothing of the engine.
      if (engine !== 'SQLite') return

      test('refuse unknown fields, wrong types and missing values, with one detail for each field', async (t) => {
        const { api, memberId } = await start(t, await url(t))
        const wrong = await api(`POST /${plural}`, { ...body(1, memberId), nothing: 1 })
        assert.deepEqual([wrong.status, (wrong.body as Values).code], [400, 'e.xx.fw.7003'])
        const required = Object.entries(declaration.fields)
          .filter(([, schema]) => !isNullable(schema) && !('starting' in schema))
          .map(([field]) => field)
        const empty = await api(`POST /${plural}`, {})
        const { code, details } = empty.body as { code: string; details: Values[] }
        assert.equal(code, 'e.xx.fw.7001')
        assert.deepEqual(
          details.map(({ target, code }) => [target, code]),
          required.map((field) => [field, 'NotNull']),
        )
        const text = await api(`POST /${plural}`, { ...body(1, memberId), [found[0]]: 5 })
        assert.deepEqual([text.status, (text.body as Values).code], [400, 'e.xx.fw.7003'])
        assert.equal((await api(`GET /${plural}/${unknownId}`)).status, 404)
      })

      test('are read and written as XML, created once per idempotency key, and changed in a batch', async (t) => {
        const { api, memberId } = await start(t, await url(t))
        const record = await made(api, one, 1, memberId)
        const xml = await api(`GET /${plural}/${record[idField]}.xml`)
        assert.match(xml.text, new RegExp(`<${name}><${idField}>|<${name} [^>]+><${idField}>`))
        const again = xml.text.replaceAll('Title 001', 'Title 002').replaceAll('S001', 'S002')
        const fromXml = await api(`POST /${plural}`, again, { 'Content-Type': 'application/xml' })
        assert.equal(fromXml.status, 201, fromXml.text)
        const key = { 'Idempotency-Key': 'k1' }
        const first = await api(`POST /${plural}`, body(3, memberId), key)
        const replayed = await api(`POST /${plural}`, body(3, memberId), key)
        assert.deepEqual([replayed.body, replayed.headers['idempotent-replayed']], [first.body, 'true'])
        const operations = [
          { method: 'POST', path: `/api/v1/${plural}`, body: body(4, memberId) },
          { method: 'DELETE', path: `/api/v1/${plural}/${unknownId}` },
        ]
        const batch = await api('POST /batch', { atomic: true, operations })
        assert.equal(batch.status, 422)
        assert.equal(((await api(`GET /${plural}`)).body as unknown[]).length, 3)
      })
    })
  }

for (const { name: engine, url, skip } of databases)
  describe(`${engine}: a declared resource`, { skip }, () => {
    test('refuses a reference to no record and a value in use with the name of the field, on POST, PUT, PATCH and in a batch, and refuses a filter that is not an id', async (t) => {
      const { api, memberId } = await start(t, await url(t))
      const body = { memberId, title: 'Saw', shelf: 'A1', due: '2026-12-24', kind: 'tool' }
      const other = (await api('POST /loans', { ...body, shelf: 'B1' })).body as { loanId: string }
      await api('POST /loans', body)
      const path = `/loans/${other.loanId}`
      const missing = { ...body, shelf: 'C1', memberId: unknownId }
      const taken = { ...body, shelf: 'ａ1' }
      const refusals = [
        ['Reference', 'memberId', await api('POST /loans', missing)],
        ['Reference', 'memberId', await api(`PUT ${path}`, missing)],
        ['Reference', 'memberId', await api(`PATCH ${path}`, { memberId: unknownId }, patch)],
        ['Unique', 'shelf', await api('POST /loans', taken)],
        ['Unique', 'shelf', await api(`PUT ${path}`, taken)],
        ['Unique', 'shelf', await api(`PATCH ${path}`, { shelf: 'a1' }, patch)],
      ] as const
      for (const [code, target, { status, body }] of refusals) {
        assert.partialDeepStrictEqual(
          { status, body },
          { status: 409, body: { code: 'e.xx.fw.8002', details: [{ code, target }] } },
        )
      }
      for (const list of ['/loans?memberId', '/changes?id'])
        assert.partialDeepStrictEqual(
          [await api(`GET ${list}=no-id`), await api(`GET ${list}=${unknownId}`)],
          [{ status: 400, body: { code: 'e.xx.fw.7006' } }, { status: 200 }],
        )
      const operations = [{ method: 'POST', path: '/api/v1/loans', body: missing }]
      const batch = (await api('POST /batch', { atomic: false, operations })).body as {
        responses: { status: number }[]
      }
      assert.deepEqual(
        batch.responses.map(({ status }) => status),
        [409],
      )
      const errors = api.log.filter(({ level }) => level === 'error')
      assert.deepEqual(errors, [])
    })

    test('prevents the deletion of the record that it refers to, or is deleted with that record; the log has each deletion', async (t) => {
      const { api, memberId } = await start(t, await url(t))
      const loaned = await api('POST /loans', { memberId, title: 'Saw', due: '2026-12-24', kind: 'tool' })
      const { loanId } = loaned.body as { loanId: string }
      const kept = await api(`DELETE /members/${memberId}`)
      assert.partialDeepStrictEqual(kept, {
        status: 409,
        body: {
          code: 'e.xx.fw.8002',
          details: [{ code: 'Reference', message: 'A loan refers to this record by "memberId".' }],
        },
      })
      await api(`DELETE /loans/${loanId}`)
      assert.equal((await api(`DELETE /members/${memberId}`)).status, 204)
    })

    test('prevents a deletion if it refers to a record that would be deleted too, and the refusal names both', async (t) => {
      const shelf = resource({ name: 'shelf', fields: { label: Text(1, 20) } })
      const inShelf = { shelfId: Reference('shelf', { onDelete: 'cascade' }) }
      const book = resource({ name: 'book', fields: inShelf, words: { ja: { book: ['本', '本'] } } })
      const note = resource({ name: 'note', fields: { bookId: Reference('book') } })
      assert.equal(book.labels.ja.fields.bookId?.label, '本 ID')
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [shelf, book, note] })
      const { shelfId } = (await api('POST /shelfs', { label: 'A' })).body as Values
      const { bookId } = (await api('POST /books', { shelfId })).body as Values
      await api('POST /notes', { bookId })
      const kept = await api(`DELETE /shelfs/${shelfId}`)
      assert.match(kept.text, /A note refers by \\"bookId\\" to a book that would also be deleted\./)
    })

    test('may refer to records of its own resource, and a circle of them is deleted together', async (t) => {
      for (const onDelete of ['refuse', 'cascade'] as const) {
        const parent = Nullable(Reference('place', { onDelete }))
        const place = resource({ name: 'place', fields: { label: Text(1, 20), parentId: parent } })
        const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [place] })
        const add = async (label: string, parentId: string | null) =>
          ((await api('POST /places', { label, parentId })).body as { placeId: string }).placeId
        const move = (id: string, parentId: string | null) => api(`PATCH /places/${id}`, { parentId }, patch)
        const left = async () => ((await api('GET /places')).body as Values[]).map(({ label }) => label)
        const house = await add('house', null)
        const room = await add('room', house)
        await add('shelf', room)
        assert.equal((await move(house, unknownId)).status, 409)
        assert.equal((await move(house, room)).status, 200)
        if (onDelete === 'refuse') {
          assert.equal((await api(`DELETE /places/${house}`)).status, 409)
          assert.equal((await move(house, house)).status, 200)
          assert.equal((await api(`DELETE /places/${house}`)).status, 409)
          await move(room, null)
        }
        assert.equal((await api(`DELETE /places/${house}`)).status, 204)
        assert.deepEqual(await left(), onDelete === 'refuse' ? ['room', 'shelf'] : [])
        const { content } = (await api('GET /changes?types=place.deleted')).body as { content: unknown[] }
        assert.equal(content.length, onDelete === 'refuse' ? 1 : 3)
      }
    })

    test('may refer to another one that refers back, if one of the two references is Nullable', async (t) => {
      for (const onDelete of ['refuse', 'cascade'] as const) {
        const managerId = Nullable(Reference('employee', { onDelete }))
        const department = resource({ name: 'department', fields: { label: Text(1, 20), managerId } })
        const departmentId = Reference('department', { onDelete })
        const employee = resource({ name: 'employee', fields: { code: Text(1, 20), departmentId } })
        const settings = { DATABASE_URL: await url(t) }
        const api = await startApp(t, settings, { resources: [employee, department] })
        const first = (await api('POST /departments', { label: 'Sales' })).body as Values
        const at = `/departments/${first.departmentId}`
        const made = (await api('POST /employees', { code: 'E1', departmentId: first.departmentId }))
          .body as Values
        assert.equal((await api(`PATCH ${at}`, { managerId: made.employeeId }, patch)).status, 200)
        assert.equal((await api(`PATCH ${at}`, { managerId: first.departmentId }, patch)).status, 409)
        assert.equal((await api(`DELETE /employees/${made.employeeId}`)).status, 409)
        if (onDelete === 'refuse') {
          assert.equal((await api(`DELETE ${at}`)).status, 409)
          await api(`PATCH ${at}`, { managerId: null }, patch)
          assert.equal((await api(`DELETE /employees/${made.employeeId}`)).status, 204)
        }
        assert.equal((await api(`DELETE ${at}`)).status, 204)
        assert.deepEqual((await api('GET /employees')).body, [])
        assert.equal((await api(`POST ${at}/restore`)).status, onDelete === 'refuse' ? 201 : 409)
        await api.close()
        await startApp(t, settings, { resources: [department, employee] })
      }
    })

    test('of a member is no obstacle to the erasure of that member if the referred record is deleted too', async (t) => {
      const ownerId = Reference('member', { onDelete: 'cascade' })
      const book = resource({ name: 'book', fields: { title: Text(1, 20), ownerId } })
      const reader = extend('member', { fields: { favouriteId: Nullable(Reference('book')) } })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [book, reader] })
      const join = async () => ((await api('POST /members', person())).body as Values).memberId
      const [owner, other] = [await join(), await join()]
      const { bookId } = (await api('POST /books', { title: 'Emma', ownerId: owner })).body as Values
      for (const id of [owner, other]) await api(`PATCH /members/${id}`, { favouriteId: bookId }, patch)
      const kept = await api(`DELETE /members/${owner}?erase=true`)
      assert.match(kept.text, /A member refers by \\"favouriteId\\" to a book that would also be deleted\./)
      await api(`PATCH /members/${other}`, { favouriteId: null }, patch)
      assert.equal((await api(`DELETE /members/${owner}?erase=true`)).status, 204)
      assert.deepEqual((await api('GET /books')).body, [])
    })

    test('answers 500 and stores nothing if a rule or an action throws, whatever it throws', async (t) => {
      const thrown = [undefined, null, 'text', Object.freeze(new Error('frozen')), new Error('usual')]
      const box = resource({
        name: 'box',
        plural: 'boxes',
        fields: { part: Whole(0, 9) },
        rules: {
          create: (box) => {
            if (box.part < thrown.length) throw thrown[box.part]
            return box
          },
        },
        actions: { emptied: { summary: 'Empty a box', does: () => Promise.reject() } },
      })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [box] })
      const { boxId } = (await api('POST /boxes', { part: 9 })).body as { boxId: string }
      const answers = await Promise.all([
        ...thrown.map((_, part) => api('POST /boxes', { part })),
        api(`POST /boxes/${boxId}/emptied`),
      ])
      assert.deepEqual(
        answers.map(({ status, text }) => [status, JSON.parse(text).code]),
        answers.map(() => [500, 'e.xx.fw.9003']),
      )
      assert.equal(((await api('GET /boxes')).body as Values[]).length, 1)
      const errors = api.log.filter(({ level }) => level === 'error')
      assert.equal(errors.length, answers.length)
    })

    test('rolls back a rule or an action that does not answer in time, and lets others write', async (t) => {
      const never = () => new Promise<never>(() => {})
      const box = resource({
        name: 'box',
        plural: 'boxes',
        fields: { label: Text(1, 10) },
        rules: { create: (box) => (box.label === 'slow' ? never() : box) },
        actions: { emptied: { summary: 'Empty a box', does: never } },
      })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [box] })
      const { boxId } = (await api('POST /boxes', { label: 'a' })).body as { boxId: string }
      const [slow, other] = await Promise.all([
        api('POST /boxes', { label: 'slow' }),
        api('POST /todos', { todoTitle: 'Wait' }),
      ])
      const action = await api(`POST /boxes/${boxId}/emptied`)
      assert.deepEqual([slow.status, action.status, other.status], [500, 500, 201])
      assert.equal(((await api('GET /boxes')).body as Values[]).length, 1)
      const errors = api.log.filter(({ level }) => level === 'error')
      assert.deepEqual(
        new Set(errors.map(({ track }) => track)),
        new Set([slow.headers['x-track'], action.headers['x-track']]),
      )
      assert.match(JSON.stringify(errors), /the rule \\"create\\" of \\"box\\" has not answered within 3 s/)
    })

    test('gets the column of a new field at the next start; any other difference between table and declaration stops the start with a message that names the difference', async (t) => {
      const database = await url(t)
      const first = resource({ name: 'box', fields: { label: Text(1, 10) } })
      const before = await startApp(t, { DATABASE_URL: database }, { resources: [first] })
      const { boxId } = (await before('POST /boxs', { label: 'a' })).body as { boxId: string }
      await before.close()
      const { Starting, Flag, Whole } = await import('#src/resource.ts')
      const fields = {
        size1: Starting(7, Whole(1, 9)),
        label: Text(1, 10),
        note: Nullable(Text(0, 10)),
        isFull: Starting(false, Flag),
      }
      const second = resource({ name: 'box', fields })
      const after = await startApp(t, { DATABASE_URL: database }, { resources: [second] })
      const read = (await after(`GET /boxs/${boxId}`)).body as Values
      assert.partialDeepStrictEqual(read, { label: 'a', note: null, size1: 7, isFull: false })
      assert.equal((await after('GET /boxs?isFull=false&size1=7')).text.includes(boxId), true)
      await after.close()
      const fails = (resources: NonNullable<Parameters<typeof startApp>[2]>['resources']) =>
        startApp(t, { DATABASE_URL: database }, resources ? { resources } : {})
      await assert.rejects(
        fails([first]),
        /The table of box differs from its declaration: it has the field "/,
      )
      const changed = resource({ name: 'box', fields: { ...fields, label: Nullable(Text(1, 10)) } })
      await assert.rejects(
        fails([changed]),
        /the column of "label" is not null, and the declaration says nullable/,
      )
      const required = resource({ name: 'box', fields: { ...fields, more: Text(1, 10) } })
      await assert.rejects(
        fails([required]),
        /it lacks the field "more", which is neither Nullable nor Starting/,
      )
      await assert.rejects(fails([]), /has the table of box, which no resource declares/)
    })

    // The rest says nothing of the engine.
    if (engine !== 'SQLite') return

    test('is imported from a file in which rows refer to earlier ones', async (t) => {
      const fields = { label: Text(1, 20), parentId: Nullable(Reference('place')) }
      const place = resource({ name: 'place', fields })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [place] })
      const imports = importsOf(api)
      const [house, room] = [unknownId, unknownId.replace(/9$/, '8')]
      const rows = [
        [house, 'house', ''],
        [room, 'room', house],
        ['', 'shelf', unknownId.replace(/9$/, '7')],
      ]
      const importId = await imports.upload('places', csv(['placeId', 'label', 'parentId'], rows))
      await imports.in(importId, 'ready')
      const refused = (await imports.rows(importId, 'refused')).map(({ faults }) => faults[0]?.code)
      assert.deepEqual(refused, ['Reference'])
      await imports.act(importId, 'apply')
      await imports.in(importId, 'done')
      assert.partialDeepStrictEqual((await api(`GET /places/${room}`)).body, { parentId: house })
    })

    test('is imported from a file that names codes by their labels, in any language', async (t) => {
      const fields = { label: Text(1, 20), state: CodeList('CL_STATE', ['new', 'worn']) }
      const words = { en: { 'state.worn': 'Worn out' }, ja: { 'state.new': '新品' } }
      const thing = resource({ name: 'thing', fields, words })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [thing] })
      const imports = importsOf(api)
      const rows = [
        ['a', '新品'],
        ['b', 'WORN OUT'],
        ['c', 'new'],
        ['d', 'broken'],
      ]
      const importId = await imports.upload('things', csv(['label', 'state'], rows))
      await imports.in(importId, 'ready')
      assert.deepEqual(
        (await imports.rows(importId, 'refused')).map(({ line }) => line),
        [5],
      )
      await imports.act(importId, 'apply')
      await imports.in(importId, 'done')
      const things = (await api('GET /things')).body as Values[]
      assert.deepEqual(
        things.map(({ state }) => state),
        ['new', 'worn', 'new'],
      )
    })

    test('names the type that a refused value should have', async (t) => {
      const { UtcTimestamp } = await import('#src/resource.ts')
      const fields = {
        count: Nullable(Whole(1, 9)),
        seen: UtcTimestamp,
        parentId: Nullable(Reference('thing')),
      }
      const thing = resource({ name: 'thing', fields })
      const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [thing] })
      const says = async (body: Values) =>
        ((await api('POST /things', body)).body as { details: Values[] }).details.map(
          ({ message }) => message,
        )
      assert.deepEqual(await says({ count: '1', seen: 'now', parentId: 'a' }), [
        '"count" must be a whole number or null.',
        '"parentId" must be the id of a record (a UUID).',
      ])
      assert.deepEqual(await says({ seen: 'now' }), ['"seen" must be a time (yyyy-MM-ddTHH:mm:ss.SSSZ).'])
    })

    test('has actions, and rules that run inside the transaction', async (t) => {
      const { api, memberId } = await start(t, await url(t))
      const body = { memberId, title: 'Saw', due: '2026-12-24', kind: 'tool' }
      const refused = await api('POST /loans', { ...body, due: '1999-01-01' })
      assert.partialDeepStrictEqual(refused, {
        status: 400,
        body: { code: 'e.xx.fw.7001', details: [{ code: 'Past', target: 'due' }] },
      })
      const made = (await api('POST /loans', body)).body as { loanId: string }
      const returned = await api(`POST /loans/${made.loanId}/returned`)
      assert.equal(returned.status, 200, returned.text)
      assert.match(String((returned.body as Values).returnedOn), /^\d{4}-\d\d-\d\d$/)
      const twice = await api(`PATCH /loans/${made.loanId}`, { title: 'Other' }, patch)
      assert.partialDeepStrictEqual(twice, {
        status: 409,
        body: { code: 'e.loan.8001', message: 'It was returned already.' },
      })
      const stale = await api(`POST /loans/${made.loanId}/returned`, undefined, { 'If-Match': '"1-j.xxxxx"' })
      assert.equal(stale.status, 412)
      const faulty = (await api('POST /loans', { ...body, title: 'faulty rule' })).body as { loanId: string }
      const failed = await api(`DELETE /loans/${faulty.loanId}`)
      assert.partialDeepStrictEqual(failed, { status: 500, body: { code: 'e.xx.fw.9003' } })
      assert.equal((await api(`GET /loans/${faulty.loanId}`)).status, 200)
      const error = api.log.find(({ level }) => level === 'error')
      assert.equal(error?.track, failed.headers['x-track'])
    })
  })
