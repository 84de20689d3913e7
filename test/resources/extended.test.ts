import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { passwordHasher } from '#core/password.ts'
import { assembleResources } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import { openDatabase } from '#sql/open.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { verifyTables } from '#src/app/tables.ts'
import {
  CodeList,
  Day,
  extend,
  Flag,
  Nullable,
  Reference,
  resource,
  Starting,
  Text,
  Unique,
  UtcTimestamp,
  Whole,
} from '#src/resource.ts'
import { databases } from '../engines.ts'
import { type Answer, request, startApp } from '../harness.ts'
import { newChangeLog } from '../new-change-log.ts'
import { person } from '../people.ts'

const office = resource({ name: 'office', fields: { town: Text(1, 20) } })

const member = extend('member', {
  fields: {
    employeeNumber: Nullable(Unique(Text(1, 32))),
    department: Nullable(Text(0, 64)),
    officeId: Nullable(Reference('office')),
    level: Starting(1, Whole(1, 9)),
    note: Starting('none', Text(0, 20)),
    isTrainer: Starting(false, Flag),
    hiredOn: Nullable(Day),
    seenAt: Nullable(UtcTimestamp),
    checkedAt: Starting(0, UtcTimestamp),
    grade: Starting(5, Nullable(Whole(1, 9))),
    contract: Nullable(CodeList('CL_CONTRACT', ['full', 'part'])),
  },
  words: { en: { department: ['Department', 'Where the person works.'] }, ja: { department: '部署' } },
})

const brought = [office, member]
const rooms = assembleResources(brought)

type Values = Readonly<Record<string, unknown>>

const further = {
  employeeNumber: 'E1',
  department: 'Sales',
  level: 3,
  note: 'new',
  isTrainer: true,
  hiredOn: '2020-04-01',
  seenAt: '2026-11-21T06:45:00.123Z',
  contract: 'full',
}
const patch = { 'Content-Type': 'application/merge-patch+json' }
const unknownId = '019e6a3c-6c00-7000-8000-000000000009'
const otherId = '019e6a3c-6c00-7000-8000-000000000008'

const start = async (t: TestContext, url: string) => {
  const api = await startApp(t, { DATABASE_URL: url }, { resources: brought })
  const { officeId } = (await api('POST /offices', { town: 'Kyoto' })).body as { officeId: string }
  const made = async (fields: Values = {}) => {
    const answer = await api('POST /members', person({ officeId, ...fields }))
    assert.equal(answer.status, 201, answer.text + JSON.stringify(api.log.slice(-2)))
    return answer.body as Values & { readonly memberId: string }
  }
  return { api, officeId, made }
}

const withDatabase = async <T>(
  url: string,
  work: (db: Awaited<ReturnType<typeof openDatabase>>) => Promise<T>,
) => {
  const db = await openDatabase(url)
  return work(db).finally(db.close)
}

const faultsIn = (url: string, all: readonly Resource[] = rooms) =>
  withDatabase(url, async (db) => [
    ...(await Promise.all(all.map((room) => Array.fromAsync(room.verify(db))))).flat(),
    ...(await Array.fromAsync(verifyTables(db, all))),
  ])

const idsIn = ({ body }: Answer) =>
  ((body as { content?: Values[] }).content ?? (body as Values[])).map(({ memberId }) => memberId)

for (const { name: engine, url, skip } of databases)
  describe(`${engine}: members with further fields`, { skip }, () => {
    test('can be filtered and sorted by them, together with every other filter', async (t) => {
      const { api, officeId, made } = await start(t, await url(t))
      const one = await made({
        ...further,
        telephoneNumber: '111',
        credential: { signId: 'one', password: 'demodemo' },
      })
      const other = await made({
        employeeNumber: 'E2',
        department: 'Law',
        level: 2,
        dateOfBirth: '1990-05-05',
      })
      for (const filter of [
        ...['department=SAL', 'level=3', 'isTrainer=true', 'contract=full', 'employeeNumber=e1', 'note=NEW'],
        ...['hiredOnFrom=2020-04-01&hiredOnTo=2020-04-02', 'seenAtFrom=2026-11-21&seenAtTo=2026-11-22'],
      ]) {
        for (const beside of [
          ...[
            '',
            '&name=Jo',
            '&q=john',
            '&genderCode=1',
            '&telephoneNumber=111',
            '&signId=one',
            '&name=smith&page=0',
          ],
          ...['&bornFrom=1983-01-17', '&birthdayFrom=01-01&birthdayTo=02-01', '&createdFrom=2000-01-01'],
          ...[`&officeId=${officeId}`, '&cursor=', '&page=0&sort=department', '&emailAddress=P*'],
        ])
          assert.deepEqual(
            idsIn(await api(`GET /members?${filter}${beside}`)),
            [one.memberId],
            filter + beside,
          )
        assert.deepEqual(idsIn(await api(`GET /members?${filter}&role=suspended`)), [])
      }
      for (const field of Object.keys(member.fields)) {
        const up = await api(`GET /members?page=0&sort=${field}`)
        assert.equal(idsIn(up).length, 2, field)
        const slice = await api(`GET /members?cursor=&size=1&sort=${field},desc`)
        const next = (slice.body as { links: { rel: string; href: string }[] }).links.find(
          ({ rel }) => rel === 'next',
        )
        const rest = await api(`GET /members${new URL(next?.href ?? '').search}`)
        assert.equal(new Set([...idsIn(slice), ...idsIn(rest)]).size, 2, field)
      }
      assert.deepEqual(idsIn(await api('GET /members?page=0&sort=department')), [
        other.memberId,
        one.memberId,
      ])
      const kept = await api(`DELETE /offices/${officeId}`)
      assert.partialDeepStrictEqual(kept, { status: 409, body: { details: [{ code: 'Reference' }] } })
      assert.equal((await api(`DELETE /members/${one.memberId}?erase=true`)).status, 204)
    })

    test('get their columns at the next start, with null in existing members; a start without them stops', async (t) => {
      const database = await url(t)
      const before = await startApp(t, { DATABASE_URL: database })
      const { memberId } = (await request(`${before.url}/api`, 'POST /v1/members', { body: person() }))
        .body as { memberId: string }
      await before.close()
      const after = await startApp(t, { DATABASE_URL: database }, { resources: brought })
      const read = (await after(`GET /members/${memberId}`)).body as Values
      assert.partialDeepStrictEqual(read, { department: null, level: 1, note: 'none', isTrainer: false })
      assert.deepEqual(idsIn(await after('GET /members?note=NON&name=john')), [memberId])
      assert.equal((await after(`PATCH /members/${memberId}`, { department: 'Law' }, patch)).status, 200)
      await after.close()
      assert.deepEqual(await faultsIn(database), [])
      await assert.rejects(
        startApp(t, { DATABASE_URL: database }, { resources: brought.filter((one) => !('extends' in one)) }),
        /The table of member differs from its declaration: it has the field "/,
      )
      const more = [...brought, extend('member', { fields: { room: Nullable(Text(0, 9)) } })]
      const last = await startApp(t, { DATABASE_URL: database }, { resources: more })
      assert.partialDeepStrictEqual((await last(`GET /members/${memberId}`)).body, {
        department: 'Law',
        room: null,
      })
      await last.close()
      assert.deepEqual(await faultsIn(database, assembleResources(more)), [])
    })

    test('are copied, exported and imported with them', async (t) => {
      const [from, to] = [await url(t), await url(t)]
      const { api, made } = await start(t, from)
      await made(further)
      await made({ employeeNumber: 'E2' })
      await api.close()
      await withDatabase(from, (source) =>
        withDatabase(to, async (target) => {
          await migrateAll(target, rooms)
          for (const room of rooms.filter(({ name }) => name === 'office' || name === 'member')) {
            const [read, written] = [room.records(source), room.records(target, newChangeLog())]
            const ground = {
              ...{ now: 0, newId: () => unknownId, isReservedSignId: () => false },
              passwords: passwordHasher({ costs: { memoryKiB: 8, passes: 1, parallelism: 1 } }),
            }
            for await (const records of read.stream()) {
              const lines = records.map((record) => JSON.parse(JSON.stringify(read.toFile(record))))
              const again = await Promise.all(lines.map((line) => written.fromFile(line, ground)))
              const refused = (records: readonly object[]) =>
                Promise.all(
                  records.map(async (record) =>
                    (await written.refusals(record))?.map(({ code, target }) => [code, target]),
                  ),
                )
              assert.ok((await refused(again)).every((none) => none?.length === 0))
              assert.ok((await written.insert(again)).every(Boolean))
              assert.ok((await refused(again)).every((none) => none === undefined))
              if (room.name === 'member')
                assert.deepEqual(
                  await refused(again.map((one) => ({ ...one, memberId: otherId, officeId: unknownId }))),
                  again.map(() => [
                    ['e.xx.yy.8001', undefined],
                    ['Reference', 'officeId'],
                    ['Unique', 'employeeNumber'],
                  ]),
                )
              const copied = (await Array.fromAsync(written.stream()))
                .flat()
                .map((record) => written.toFile(record))
              assert.deepEqual(copied, lines)
            }
          }
        }),
      )
    })

    // The rest says nothing of the engine.
    if (engine !== 'SQLite') return

    test('show them after the fields of the specification, in JSON, XML, views, history and the changes', async (t) => {
      const database = await url(t)
      const { api, officeId, made } = await start(t, database)
      const created = await made(further)
      const { memberId } = created
      assert.partialDeepStrictEqual(created, { ...further, officeId })
      const names = Object.keys(created)
      assert.deepEqual(names.slice(names.indexOf('address') + 1, names.indexOf('credential')), [
        ...Object.keys(member.fields),
      ])
      const path = `/members/${memberId}`
      assert.deepEqual((await api(`GET ${path}`)).body, created)
      const xml = await api(`GET ${path}.xml`)
      assert.match(xml.text, /<address>Tokyo<\/address><employeeNumber>E1<\/employeeNumber>/)
      const copied = await api(
        'POST /members',
        xml.text
          .replace('>E1<', '>E2<')
          .replace(
            /<credential>.*<\/credential>/,
            '<credential><signId>copy</signId><password>demodemo</password></credential>',
          ),
        { 'Content-Type': 'application/xml' },
      )
      assert.partialDeepStrictEqual(copied, { status: 201, body: { ...further, employeeNumber: 'E2' } })
      assert.partialDeepStrictEqual((await api(`GET ${path}?view=detailed`)).body, further)
      const reduced = (await api(`GET ${path}?view=reduced`)).body as Values
      assert.equal('department' in reduced, false)
      const only = (await api(`GET ${path}?fields=department`)).body as Values
      assert.equal(only.department, 'Sales')
      const patched = await api(`PATCH ${path}`, { department: 'Law', level: 4 }, patch)
      assert.partialDeepStrictEqual(patched, {
        status: 200,
        body: { ...further, department: 'Law', level: 4 },
      })
      const put = await api(`PUT ${path}`, { ...created, hiredOn: null, contract: 'part' })
      assert.partialDeepStrictEqual(put.body, { ...further, hiredOn: null, contract: 'part' })
      const { content } = (await api(`GET ${path}/history`)).body as {
        content: { change: { data: Values }; value: Values }[]
      }
      assert.deepEqual(
        content.map(({ value: { department, hiredOn, seenAt } }) => [department, hiredOn, seenAt]),
        [
          ['Sales', null, further.seenAt],
          ['Law', '2020-04-01', further.seenAt],
          ['Sales', '2020-04-01', further.seenAt],
        ],
      )
      assert.deepEqual(content[1]?.change.data.changed, ['department', 'level'])
      const begun = await made()
      assert.partialDeepStrictEqual(begun, {
        ...{
          employeeNumber: null,
          department: null,
          level: 1,
          note: 'none',
          isTrainer: false,
          hiredOn: null,
        },
        ...{ seenAt: null, contract: null },
      })
      await api.close()
      assert.deepEqual(await faultsIn(database), [])
    })

    test('validate them, and a refusal names them', async (t) => {
      const { api, made } = await start(t, await url(t))
      const { memberId } = await made({ employeeNumber: 'Ab1' })
      await made({ employeeNumber: 'X' })
      const path = `/members/${memberId}`
      const invalid = await api('POST /members', person({ department: 'x'.repeat(65), level: 10 }))
      assert.deepEqual(
        (invalid.body as { details: Values[] }).details.map(({ code, target }) => [code, target]),
        [
          ['Size', 'department'],
          ['Max', 'level'],
        ],
      )
      const whole = (await api(`GET ${path}`)).body as Values
      const refusals = [
        ['Unique', 'employeeNumber', await api('POST /members', person({ employeeNumber: 'ａＢ1' }))],
        ['Unique', 'employeeNumber', await api(`PUT ${path}`, { ...whole, employeeNumber: 'x' })],
        ['Unique', 'employeeNumber', await api(`PATCH ${path}`, { employeeNumber: 'x' }, patch)],
        ['Reference', 'officeId', await api('POST /members', person({ officeId: unknownId }))],
        ['Reference', 'officeId', await api(`PUT ${path}`, { ...whole, officeId: unknownId })],
        ['Reference', 'officeId', await api(`PATCH ${path}`, { officeId: unknownId }, patch)],
      ] as const
      for (const [code, target, { status, body }] of refusals)
        assert.partialDeepStrictEqual(
          { status, body },
          { status: 409, body: { code: 'e.xx.fw.8002', details: [{ code, target }] } },
        )
      const body = person({ employeeNumber: 'x' })
      const operations = [{ method: 'POST', path: '/api/v1/members', body }]
      const batch = (await api('POST /batch', { atomic: true, operations })).body as Values
      assert.match(JSON.stringify(batch), /"code":"Unique"/)
      // Nothing is left of a refused member: the sign id is free.
      assert.equal((await api('POST /members', { ...body, employeeNumber: 'Y' })).status, 201)
      const taken = await api('POST /members', { ...body, employeeNumber: 'x' })
      assert.partialDeepStrictEqual(taken, { status: 409, body: { code: 'e.xx.yy.8001' } })
      const same = await api(`PUT ${path}`, whole)
      assert.equal(same.status, 200)
      assert.equal((await api(`PUT ${path}/role`, { role: 'administrator' })).status, 200)
      assert.deepEqual(
        api.log.filter(({ level }) => level === 'error'),
        [],
      )
    })

    test('keep the value of a field with a starting value when a PUT omits it', async (t) => {
      const { api, made } = await start(t, await url(t))
      const { memberId, credential: _, ...whole } = await made({ ...further, grade: 7 })
      const path = `/members/${memberId}`
      const { level, note, isTrainer, checkedAt, grade, ...known } = whole
      const put = await api(`PUT ${path}`, { ...known, department: 'Law' })
      assert.partialDeepStrictEqual(put, {
        status: 200,
        body: { level: 3, note: 'new', isTrainer: true, grade: 7 },
      })
      assert.match((await api(`GET ${path}/history?size=1`)).text, /"changed":\["department"\]/)
      const cleared = await api(`PATCH ${path}`, { grade: null }, patch)
      assert.partialDeepStrictEqual(cleared, { status: 200, body: { grade: null, level: 3 } })
      const kept = await api(`PATCH ${path}`, { level: null }, patch)
      assert.partialDeepStrictEqual(kept, {
        status: 400,
        body: { details: [{ code: 'NotNull', target: 'level' }] },
      })
      const begun = await made()
      assert.partialDeepStrictEqual(begun, { grade: 5, checkedAt: '1970-01-01T00:00:00.000Z' })
    })
  })

test('todos get further fields in the same way', async (t) => {
  const fields = { room: Nullable(Unique(Text(1, 9))), effort: Starting(1, Whole(1, 9)) }
  const extension = extend('todo', { fields, words: { ja: { room: '部屋' } } })
  const api = await startApp(t, {}, { resources: [extension] })
  const made = (await api('POST /todos', { todoTitle: 'a', room: 'R1' })).body as Values
  assert.partialDeepStrictEqual(made, { todoTitle: 'a', finished: false, room: 'R1', effort: 1 })
  assert.equal((await api('POST /todos', { todoTitle: 'a', room: 'r1' })).status, 409)
  assert.equal(((await api('GET /todos?room=R&effort=1&sort=effort&page=0')).body as Values).totalElements, 1)
  const finished = await api(`PUT /todos/${made.todoId}`)
  assert.partialDeepStrictEqual(finished.body, { finished: true, room: 'R1' })
})

test('the API document describes further fields by their own words, or else by their types', async (t) => {
  const api = await startApp(t, {}, { resources: brought })
  const document = JSON.parse((await api('GET /openapi.json')).text)
  const { department, level } = document.components.schemas.Member.properties
  assert.equal(department.description, 'Where the person works.')
  assert.equal(level.description, 'Level: 1 to 9.')
  assert.deepEqual([level.minimum, level.maximum], [1, 9])
  assert.equal('maximum' in document.components.schemas.Webhook.properties.pending, false)
})

test('an extension that cannot work is refused with its reason', () => {
  const note = Nullable(Text(0, 9))
  const merged =
    (...extensions: Parameters<typeof assembleResources>[0]) =>
    () =>
      assembleResources(extensions)
  const field = (name: string) => extend('member', { fields: { [name]: note } })
  assert.throws(() => extend('key', { fields: { note } }), /only "member" and "todo" can be extended/)
  assert.throws(() => extend('webhook', { fields: { note } }), /only "member" and "todo"/)
  assert.throws(() => extend('member', { fields: { note: Text(0, 9) } }), /must be Nullable or Starting/)
  const cascading = Nullable(Reference('todo', { onDelete: 'cascade' }))
  assert.throws(
    () => extend('member', { fields: { todoId: cascading } }),
    /cannot cascade: the deletion of another record/,
  )
  for (const name of ['firstName', 'signId', 'credential', 'passwordHash', 'role', 'name', 'born'])
    assert.throws(merged(field(name)), /is the name of another of its fields or filters/, name)
  assert.throws(merged(field('note'), field('note')), /"note" is the name of another/)
  assert.throws(merged(extend('todo', { fields: { title: note } })), /"title" is the name of another/)
  const lost = extend('member', { fields: { shipId: Nullable(Reference('ship')) } })
  assert.throws(merged(lost), /refers to "ship", which is not declared/)
  const ship = resource({ name: 'ship', fields: { memberId: Nullable(Reference('member')) } })
  assert.doesNotThrow(merged(lost, ship))
  assert.doesNotThrow(merged(field('note'), field('other')))
})
