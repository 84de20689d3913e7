import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { asRoot, enrol, startBasic } from '../access/callers.ts'
import { databases } from '../engines.ts'
import { type Answer, startApp } from '../harness.ts'
import { csv, importsOf } from '../import/imports.ts'
import { john } from '../people.ts'
import { body, expectAnswer, field, mergePatch } from './table.ts'

interface Version {
  readonly change: { readonly type: string; readonly subject: string; readonly data: { readonly by: string } }
  readonly value: Readonly<Record<string, unknown>> | null
  readonly altered?: readonly object[]
}

const versionsOf = (answer: Answer) => body(answer).content as Version[]
const typesOf = (answer: Answer) => versionsOf(answer).map(({ change }) => change.type)
const unknown = '01920000-0000-7000-8000-000000000001'

for (const { name, url, skip } of databases) {
  test(`${name}: a history shows each version as GET showed it, newest first, even after the record is deleted`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t), TIME_ZONE: 'Asia/Tokyo' })
    const made = await api('POST /todos', { todoTitle: 'milk' })
    const todo = `/todos/${field(made, 'todoId')}`
    const finished = await api(`PUT ${todo}`)
    await api(`PUT ${todo}`)
    const renamed = await api(`PATCH ${todo}`, { todoTitle: 'oat milk' }, mergePatch)
    await api('POST /todos', { todoTitle: 'other' })
    await api(`DELETE ${todo}`)
    const whole = await api(`GET ${todo}/history`)
    expectAnswer(whole, { status: 200, answers: { 'Cache-Control': /no-cache/ } })
    assert.deepEqual(typesOf(whole), ['todo.deleted', 'todo.updated', 'todo.updated', 'todo.created'])
    assert.deepEqual(
      versionsOf(whole).map(({ value }) => value),
      [null, renamed.body, finished.body, made.body],
    )
    const first = await api(`GET ${todo}/history?size=3`)
    const next = new URL((body(first).links as { href: string }[])[0]?.href ?? '')
    const rest = await api(`GET ${todo}/history${next.search}`)
    assert.deepEqual([...versionsOf(first), ...versionsOf(rest)], versionsOf(whole))
    assert.deepEqual(body(rest).links, [])
    const cursor = { status: 400, code: '7002', details: ['cursor Pattern'] }
    expectAnswer(await api(`GET /todos/${unknown}/history${next.search}`), cursor)
    expectAnswer(await api(`GET /todos/${unknown}/history`), { status: 404, code: '5001' })
    const xml = await api(`GET ${todo}/history.xml`)
    assert.match(
      xml.text,
      /<page><content><version><change>.*<value[^>]* xsi:nil="true"\/><\/version><version>/,
    )
    assert.match(xml.text, /<value><todoId>[^<]+<\/todoId><todoTitle>oat milk</)
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: the history of a member shows only the parts of the credential that GET shows`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    const made = await api('POST /members', john)
    const member = `/members/${field(made, 'memberId')}`
    const changed = await api(`PUT ${member}/credential`, { signId: 'john', password: 'swordfish' })
    const moved = await api(`PATCH ${member}`, { zipCode: null }, mergePatch)
    const history = await api(`GET ${member}/history`)
    assert.deepEqual(
      versionsOf(history).map(({ value }) => value),
      [moved.body, changed.body, made.body],
    )
    await api(`PUT ${member}/role`, { role: 'suspended' })
    const given = await api(`GET ${member}/history?size=1`)
    assert.deepEqual(versionsOf(given)[0]?.altered, [{ field: 'role', from: 'member', to: 'suspended' }])
    assert.match((await api(`GET ${member}/history.xml?size=1`)).text, /<from>member<\/from>/)
    await api(`DELETE ${member}`)
    assert.equal(versionsOf(await api(`GET ${member}/history`)).length, 5)
    await api(`POST ${member}/restore`)
    const [restored] = versionsOf(await api(`GET ${member}/history?size=1`))
    assert.equal(restored?.altered, undefined)
    const missing = { status: 404, code: 'e.xx.yy.5001' }
    expectAnswer(await api(`GET /members/${unknown}/history`), missing)
    const todo = field(await api('POST /todos', { todoTitle: 'milk' }), 'todoId')
    expectAnswer(await api(`GET /members/${todo}/history`), missing)
    expectAnswer(await api(`GET /todos${member.slice(8)}/history`), { status: 404, code: '5001' })
  })
}

for (const { name, url, skip } of databases) {
  test(`${name}: after an erasure only the change entries of the member remain`, { skip }, async (t) => {
    const DATABASE_URL = await url(t)
    const api = await startBasic(t, { DATABASE_URL })
    const mary = await enrol(api, 'mary')
    const keyed = { ...asRoot, 'Idempotency-Key': 'k' }
    const made = await api('POST /members', { ...john, firstName: 'Unforgotten' }, keyed)
    const [at, kept] = [`/members/${field(made, 'memberId')}`, `/members/${mary.memberId}`]
    await api(`PATCH ${at}`, { address: 'Nowhere 1' }, { ...mergePatch, ...keyed })
    // These answers show the member, although their requests do not change it.
    const unchanged = { method: 'PATCH', path: `/api/v1${at}`, body: { address: 'Nowhere 1' } }
    await api(`PATCH ${at}`, unchanged.body, { ...mergePatch, ...asRoot, 'Idempotency-Key': 'unchanged' })
    const operations = [unchanged, { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'other' } }]
    await api('POST /batch', { atomic: true, operations }, keyed)
    const imports = importsOf((line, body, headers) => api(line, body, { ...keyed, ...headers }))
    const importId = await imports.upload(
      'members',
      csv(['memberId', 'zipCode'], [[field(made, 'memberId'), '1']]),
    )
    await imports.in(importId, 'ready')
    await imports.correct(importId, 2, [{ field: 'firstName', value: 'Nowhere' }])
    expectAnswer(await api(`DELETE ${kept}?erase=true`, undefined, mary.headers), {
      status: 403,
      code: '4003',
    })
    const wrong = { ...asRoot, 'If-Match': '"1-j.abcde"' }
    expectAnswer(await api(`DELETE ${at}?erase=true`, undefined, wrong), { status: 412, code: '8003' })
    assert.equal(
      versionsOf(await api(`GET ${at}/history`, undefined, asRoot)).filter(({ value }) => value).length,
      2,
    )
    expectAnswer(await api(`DELETE ${at}`, undefined, asRoot), { status: 204 })
    expectAnswer(await api(`DELETE ${at}?erase=maybe`, undefined, asRoot), { status: 400, code: '7006' })
    expectAnswer(await api(`DELETE ${at}?erase=true`, undefined, asRoot), { status: 204 })
    expectAnswer(await api(`DELETE ${at}?erase=true`, undefined, asRoot), {
      status: 404,
      code: 'e.xx.yy.5001',
    })
    const history = await api(`GET ${at}/history`, undefined, asRoot)
    assert.deepEqual(
      versionsOf(history).map(({ change, value }) => [change.type, value]),
      [
        ['member.deleted', null],
        ['member.updated', null],
        ['member.created', null],
      ],
    )
    const again = await api('POST /members', { ...john, firstName: 'Other' }, keyed)
    expectAnswer(again, { status: 201, answers: { 'Idempotent-Replayed': false } })
    // The first answer to this batch shows the member that the batch erases. Its repetition does not.
    const path = `/api/v1/members/${field(again, 'memberId')}`
    const showAndErase = [
      { method: 'PATCH', path, body: { address: 'Nowhere 2' } },
      { method: 'DELETE', path: `${path}?erase=true` },
    ]
    const batch = { atomic: true, operations: showAndErase }
    const shown = async () => {
      const answer = await api('POST /batch', batch, { ...asRoot, 'Idempotency-Key': 'erasing' })
      const { responses } = answer.body as {
        responses: { status: number; body: { address: string } | null }[]
      }
      return responses.map(({ status, body }) => [status, body?.address])
    }
    assert.deepEqual(await shown(), [
      [200, 'Nowhere 2'],
      [204, undefined],
    ])
    assert.deepEqual(await shown(), [
      [200, undefined],
      [204, undefined],
    ])
    expectAnswer(await api(`DELETE ${kept}?erase=true`, undefined, asRoot), { status: 204 })
    assert.equal(versionsOf(await api(`GET ${kept}/history`, undefined, asRoot))[1]?.value, null)
    await api.close()
    const db = await openDatabase(DATABASE_URL)
    t.after(() => db.close())
    for (const table of ['member', 'credential', 'change', 'kept_answer']) {
      const rows = await db.scan(raw(`SELECT * FROM ${table}`), (row) => JSON.stringify(row))
      assert.doesNotMatch(rows.join(), /Unforgotten|Nowhere/, table)
    }
  })
}

test('a member can read only its own history', async (t) => {
  const api = await startBasic(t)
  const [mary, jane] = [await enrol(api, 'mary'), await enrol(api, 'jane')]
  const own = await api('GET /members/me/history', undefined, mary.headers)
  assert.deepEqual(
    versionsOf(own).map(({ change }) => [change.subject, change.data.by]),
    [[mary.memberId, 'administrator']],
  )
  const other = await api(`GET /members/${jane.memberId}/history`, undefined, mary.headers)
  expectAnswer(other, { status: 403, code: '4003' })
  expectAnswer(await api(`GET /members/${jane.memberId}/history`, undefined, asRoot), { status: 200 })
})
