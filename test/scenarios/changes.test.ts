import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { cursors } from '#http/api/cursor.ts'
import { sharedSecret } from '#ledger/secrets.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { databases } from '../engines.ts'
import { type Answer, type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { noPostgres, serviceDatabase } from '../postgres.ts'
import { body, expectAnswer, field, header, mergePatch } from './table.ts'

interface Event {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly sequence: string
  readonly source: string
  readonly time: string
  readonly data: {
    readonly version: number
    readonly changed: readonly string[]
    readonly by: string
    readonly track: string
  }
}

const skipPostgres = await noPostgres()

const contentOf = (answer: Answer) => body(answer).content as Event[]
const cursorOf = (answer: Answer) => field(answer, 'cursor')
const added = async (api: Api, todoTitle = 'x', headers = {}) => api('POST /todos', { todoTitle }, headers)
const after = (api: Api, cursor: string, more = '') => api(`GET /changes?after=${cursor}${more}`)
const sequences = (events: readonly Event[]) => events.map(({ sequence }) => Number(sequence))
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

for (const { name, url, skip } of databases) {
  const start = async (t: TestContext, settings: Record<string, string> = {}) =>
    startApp(t, { DATABASE_URL: await url(t), ...settings })

  test(`${name}: cursors lead from page to page, with and without a filter`, { skip }, async (t) => {
    const api = await start(t)
    await Promise.all(upTo(30).map(() => added(api)))
    const member = field(await api('POST /members', john), 'memberId')
    const seen: Event[] = []
    let page = await api('GET /changes?size=7')
    for (
      ;
      seen.push(...contentOf(page)) && body(page).more;
      page = await after(api, cursorOf(page), '&size=7')
    );
    assert.deepEqual(sequences(seen), upTo(31))
    const filtered = await api('GET /changes?types=member.created,member.deleted')
    assert.deepEqual(
      contentOf(filtered).map(({ subject }) => subject),
      [member],
    )
    const ofAll = contentOf(await api('GET /changes?types=member.*&size=100'))
    assert.deepEqual(ofAll, contentOf(filtered))
    await api(`DELETE /members/${member}`)
    const next = await after(api, cursorOf(filtered), '&types=member.deleted&types=member.created')
    assert.deepEqual(
      contentOf(next).map(({ type }) => type),
      ['member.deleted'],
    )
    assert.equal(contentOf(await api(`GET /changes?id=${member}`)).length, 2)
    const back: Event[] = []
    for (
      let answer = await api('GET /changes?before=latest&size=7&types=todo.created');
      back.push(...contentOf(answer)) && body(answer).more;
      answer = await api(`GET /changes?before=${cursorOf(answer)}&size=7&types=todo.created`)
    );
    const forth = contentOf(await api('GET /changes?types=todo.created&size=100'))
    assert.deepEqual(back, forth.toReversed())
    const [now] = contentOf(await api('GET /changes?before=latest&size=1'))
    const count = async (filter: string) => contentOf(await api(`GET /changes?size=100&${filter}`)).length
    const whole = contentOf(await api('GET /changes?size=100')).length
    const time = encodeURIComponent(String(now?.time))
    assert.deepEqual(
      [await count('by=anyone'), await count('by=somebody'), await count('timeFrom=2020-01-01')],
      [whole, 0, whole],
    )
    assert.ok((await count(`timeTo=${time}`)) < whole && (await count(`timeFrom=${time}`)) >= 1)
    assert.equal((await count(`timeTo=${time}`)) + (await count(`timeFrom=${time}`)), whole)
    const anyones = await api('GET /changes?by=anyone&size=2')
    assert.equal((await api(`GET /changes?by=somebody&after=${cursorOf(anyones)}`)).status, 400)
    const free = await after(api, cursorOf(page), '&types=member.deleted')
    assert.equal(contentOf(free).length, 1)
    for (const [parameters, details] of [
      [`after=${cursorOf(filtered)}`, ['after Pattern']],
      ['after=abc', ['after Pattern']],
      ['after=', ['after Pattern']],
      ['before=abc', ['before Pattern']],
      ['before=latest&after=latest', ['before Pattern']],
      ['types=todo.lost', ['types Pattern']],
      ['types=lost.*', ['types Pattern']],
      ['wait=61', ['wait Pattern']],
    ] as const)
      expectAnswer(await api(`GET /changes?${parameters}`), { status: 400, code: '7002', details })
  })

  test(`${name}: a read without changes waits for the next change or its time limit`, {
    skip,
  }, async (t) => {
    const api = await start(t)
    await added(api)
    const latest = cursorOf(await api('GET /changes?after=latest'))
    const waiting = after(api, latest, '&wait=20')
    const other = api('GET /changes?after=latest&wait=1&types=member.created')
    await sleep(200)
    await added(api)
    assert.deepEqual(sequences(contentOf(await waiting)), [2])
    assert.deepEqual(contentOf(await other), [])
  })

  test(`${name}: an altered cursor is refused; a cursor of an older release works; no cursor works with another log`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    const first = await startApp(t, { DATABASE_URL })
    for (const _ of upTo(3)) await added(first)
    const cursor = cursorOf(await first('GET /changes?size=2'))
    assert.match(cursor, /^[\w-]{22}$/)
    for (const at of Array.from(cursor).keys()) {
      const altered = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      const notOurs = { status: 400, code: '7002', details: ['after Pattern'] }
      expectAnswer(await after(first, altered), notOurs)
    }
    await first.close()

    const db = await openDatabase(DATABASE_URL)
    const [place = []] = await db.read(
      raw('SELECT history, number, change_id FROM change, change_history WHERE number = 2'),
      ({ history, number, change_id }) => [String(history), Number(number), String(change_id).slice(-12)],
    )
    const older = cursors(await sharedSecret(db, 'cursor')).make(place, 'changes [null,null]')
    await db.close()
    const second = await startApp(t, { DATABASE_URL })
    for (const one of [cursor, older]) assert.deepEqual(sequences(contentOf(await after(second, one))), [3])
    await second.close()

    const other = await openDatabase(DATABASE_URL)
    await other.run(raw("UPDATE change_history SET history = '0123456789abcdef'"))
    await other.close()
    const third = await startApp(t, { DATABASE_URL })
    for (const one of [cursor, older]) expectAnswer(await after(third, one), { status: 410, code: '5002' })
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: each change is one event, in order, with the names of the changed fields but without values`, {
    skip,
  }, async (t) => {
    const api = await start(t)
    assert.deepEqual(contentOf(await api('GET /changes')), [])
    const todo = field(await added(api, 'x', { 'X-Track': 'checkout-42' }), 'todoId')
    await api(`PUT /todos/${todo}`)
    await api(`PUT /todos/${todo}`)
    await api(`PATCH /todos/${todo}`, { todoTitle: 'x' }, mergePatch)
    await api(`DELETE /todos/${todo}`)
    await api(`DELETE /todos/${todo}`)
    const made = await api('POST /members', john)
    const member = field(made, 'memberId')
    await api(`PUT /members/${member}`, made.body)
    await api(`PATCH /members/${member}`, { zipCode: null }, mergePatch)
    await api(`PUT /members/${member}/credential`, { signId: 'john', password: 'swordfish' })
    await api(`DELETE /members/${member}`)
    const answer = await api('GET /changes')
    expectAnswer(answer, { status: 200, shows: { more: false } })
    const events = contentOf(answer)
    assert.deepEqual(
      events.map(({ type, data }) => `${type} ${data.changed}`),
      [
        'todo.created todoTitle,finished',
        'todo.updated finished',
        'todo.deleted ',
        'member.created firstName,lastName,genderCode,dateOfBirth,emailAddress,telephoneNumber,zipCode,address,credential.signId,credential.password',
        'member.updated zipCode',
        'member.credentialChanged credential.signId,credential.password',
        'member.deleted ',
      ],
    )
    assert.deepEqual(sequences(events), upTo(7))
    for (const subject of [todo, member]) {
      const versions = events.filter((event) => event.subject === subject).map(({ data }) => data.version)
      assert.deepEqual(
        versions,
        [...new Set(versions)].toSorted((a, b) => a - b),
      )
    }
    assert.equal(events[0]?.data.track, 'checkout-42')
    assert.equal(events[0]?.source, `/api/v1/todos/${todo}`)
    const xml = await api('GET /changes.xml?size=1')
    assert.match(
      xml.text,
      /<changes><content><change><specversion>1.0<.*<changed><name>todoTitle<.*<more>true<\/more><\/changes>$/,
    )
  })

  test(`${name}: the answer to a write has the cursor right after the write`, { skip }, async (t) => {
    const api = await start(t)
    const first = await added(api)
    await added(api)
    assert.deepEqual(sequences(contentOf(await after(api, header(first, 'Change-Cursor')))), [2])
    const keyed = { 'Idempotency-Key': 'k' }
    for (const _ of [1, 2]) assert.ok(header(await added(api, 'y', keyed), 'Change-Cursor'))
    const gone = await api(`DELETE /todos/${field(first, 'todoId')}`)
    assert.deepEqual(contentOf(await after(api, header(gone, 'Change-Cursor'))), [])
    assert.equal(contentOf(await api('GET /changes')).length, 4)
  })
}

/** The service and its database. */
const startWithDatabase = async (t: TestContext) => {
  const DATABASE_URL = await serviceDatabase(t)
  const api = await startApp(t, { DATABASE_URL })
  const db = await openDatabase(DATABASE_URL)
  t.after(() => db.close())
  return { api, db }
}

test('a cursor that points to deleted changes gets 410 and links to what can be read instead', {
  skip: skipPostgres,
}, async (t) => {
  const { api, db } = await startWithDatabase(t)
  for (const _ of upTo(5)) await added(api)
  const [third, newest] = [cursorOf(await api('GET /changes?size=3')), cursorOf(await api('GET /changes'))]
  const gone = { status: 410, code: '5002' }
  const base = `${api.url}/api/v1`
  const lists = ['todos', 'members', 'keys', 'webhooks'].map((list) => `<${base}/${list}>; rel="collection"`)
  const Link = `${lists.join(', ')}, <${base}/changes?after=latest>; rel="current"`
  const lose = (statement: string) => db.run(raw(statement))
  await lose('DELETE FROM change WHERE number <= 3')
  expectAnswer(await after(api, third, '&wait=30'), { ...gone, answers: { Link } })
  expectAnswer(await api(`GET /changes?after=${third}`, undefined, { Accept: 'text/event-stream' }), gone)
  assert.deepEqual(sequences(contentOf(await api('GET /changes'))), [4, 5])
  await lose('DELETE FROM change WHERE number = 5')
  expectAnswer(await after(api, newest), gone)
  await added(api)
  expectAnswer(await after(api, newest), gone)
  assert.deepEqual(contentOf(await api('GET /changes?after=latest')), [])
  await added(api)
  const earlier = cursorOf(await api('GET /changes?before=latest&size=1'))
  await lose('DELETE FROM change WHERE number >= 5')
  for (const _ of upTo(3)) await added(api)
  expectAnswer(await after(api, earlier), gone)
  expectAnswer(await api(`GET /changes?before=${earlier}`), gone)
})

test('a read of the oldest changes never gets 410, even while they are swept', {
  skip: skipPostgres,
}, async (t) => {
  const { api, db } = await startWithDatabase(t)
  const operation = { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'x' } }
  await api('POST /batch', { atomic: true, operations: Array(100).fill(operation) })
  const sweeping = (async () => {
    for (const number of upTo(99)) await db.run(raw(`DELETE FROM change WHERE number <= ${number}`))
  })()
  let isSwept = false
  void sweeping.then(() => {
    isSwept = true
  })
  const reading = upTo(8).map(async () => {
    while (!isSwept) expectAnswer(await api('GET /changes?size=1'), { status: 200 })
  })
  await Promise.all([sweeping, ...reading])
})

test('readers that wait for other changes do not read the database at each change', async (t) => {
  const api = await startApp(t)
  await added(api)
  const readCount = async () => {
    const metrics = await (await fetch(`${api.management}/metrics`)).text()
    return [...metrics.matchAll(/^rollcall_reads_total.* (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    )
  }
  const waiting = upTo(50).map(() => api('GET /changes?after=latest&wait=2&types=member.created'))
  await sleep(500)
  const before = await readCount()
  for (const _ of upTo(5)) await added(api)
  const grown = (await readCount()) - before
  assert.ok(grown < 50, `${grown} reads`)
  for (const one of waiting) assert.deepEqual(contentOf(await one), [])
})
