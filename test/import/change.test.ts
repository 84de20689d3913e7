import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Nullable, Reference, resource, Text } from '#src/resource.ts'
import { asRoot, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { type Import, importsOf } from './imports.ts'

interface Member {
  readonly memberId: string
  readonly address: string | null
  readonly lastModifiedAt: string
}

const mergePatch = { 'Content-Type': 'application/merge-patch+json' }

const ndjson = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')

for (const { name, url, skip } of databases)
  test(`${name}: an import changes, suspends and deletes members, adds none, skips members modified since the export, and can be undone`, {
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    const imports = importsOf(api)
    const members: Member[] = []
    for (let at = 0; at < 4; at++) {
      const credential = { signId: `member ${at}`, password: 'demodemo' }
      members.push((await api('POST /members', { ...john, credential })).body as Member)
    }
    const [first, second, modified, gone] = members
    await api(`PATCH /members/${modified?.memberId}`, { address: 'Osaka' }, mergePatch)
    await api(`DELETE /members/${gone?.memberId}`)
    const send = async (existing: string, values: object) => {
      const rows = members.map(({ memberId, lastModifiedAt }) => ({ memberId, lastModifiedAt, ...values }))
      const { status, text, body } = await api(
        `POST /members/imports?existing=${existing}&apply=true`,
        ndjson(rows),
        { 'Content-Type': 'application/x-ndjson' },
      )
      assert.equal(status, 201, text)
      return imports.in((body as Import).importId, 'done')
    }
    const undo = async ({ importId }: Import) => {
      await imports.act(importId, 'undo')
      await imports.in(importId, 'undone')
    }
    const found = async (path: string, field: string) =>
      Promise.all(
        [first, second].map(async (one) => fieldOf(await api(`GET /members/${one?.memberId}${path}`), field)),
      )
    const refusals = async ({ importId }: Import) =>
      (await imports.rows(importId, 'refused')).map(({ line, faults }) => [line, faults[0]?.code])

    const changed = await send('change', { address: 'Kyoto' })
    assert.deepEqual([changed.counts.applied, await found('', 'address')], [2, ['Kyoto', 'Kyoto']])
    assert.deepEqual(await refusals(changed), [
      [3, 'ChangedSince'],
      [4, 'Reference'],
    ])
    await undo(changed)
    assert.deepEqual(await found('', 'address'), [john.address, john.address])

    for (const one of [first, second])
      Object.assign(one ?? {}, {
        lastModifiedAt: fieldOf(await api(`GET /members/${one?.memberId}`), 'lastModifiedAt'),
      })
    const suspended = await send('change', { credential: { role: 'suspended' } })
    assert.deepEqual(await found('/role', 'role'), ['suspended', 'suspended'])
    await undo(suspended)
    assert.deepEqual(await found('/role', 'role'), ['member', 'member'])

    for (const one of [first, second])
      Object.assign(one ?? {}, {
        lastModifiedAt: fieldOf(await api(`GET /members/${one?.memberId}`), 'lastModifiedAt'),
      })
    const deleted = await send('delete', {})
    const { counts } = deleted
    assert.deepEqual([counts.deleted, counts.unchanged, counts.refused], [2, 1, 1])
    assert.deepEqual(await found('', 'code'), ['e.xx.yy.5001', 'e.xx.yy.5001'])
    await undo(deleted)
    assert.deepEqual(await found('', 'address'), [john.address, john.address])
  })

test('roles are imported only with existing=change, and a key needs the scope for roles', async (t) => {
  const api = await startBasic(t)
  const { memberId } = (await api('POST /members', john, asRoot)).body as Member
  const scopes = ['members:create', 'members:update']
  const secret = fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')
  const send = async (query: string, headers: Readonly<Record<string, string>>) => {
    const file = ndjson([{ memberId, credential: { role: 'administrator' } }])
    const { body, status } = await api(`POST /members/imports?apply=true${query}`, file, headers)
    if (status !== 201) return { status }
    const imports = importsOf((line, sent, more) => api(line, sent, { ...headers, ...more }))
    const { counts, importId } = await imports.in((body as Import).importId, 'done')
    return { counts, code: (await imports.rows(importId))[0]?.faults[0]?.code }
  }
  assert.equal((await send('', asRoot)).counts?.unchanged, 1)
  assert.equal((await send('&existing=change', bearer(secret))).counts?.refused, 1)
  assert.equal((await send('&existing=delete', bearer(secret))).status, 403)
  assert.equal((await send('&existing=change', asRoot)).counts?.applied, 1)
})

test('a caller who may not assign roles neither sees roles in rows nor can apply an import that assigns them', async (t) => {
  const api = await startBasic(t)
  const { memberId } = (await api('POST /members', john, asRoot)).body as Member
  await api(`PUT /members/${memberId}/role`, { role: 'suspended' }, asRoot)
  const scopes = ['members:create', 'members:update', 'members:delete']
  const secret = fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')
  const as = (headers: Readonly<Record<string, string>>) => {
    const call = (line: string, body?: unknown, more = {}) => api(line, body, { ...headers, ...more })
    const send = async (existing: string, role: string) => {
      const sent = await call(
        `POST /members/imports?existing=${existing}`,
        ndjson([{ memberId, credential: { role } }]),
      )
      return importsOf(call).in((sent.body as Import).importId, 'ready')
    }
    return { call, send, ...importsOf(call) }
  }
  const [root, key] = [as(asRoot), as(bearer(secret))]
  for (const role of ['suspended', 'administrator']) {
    const [row] = await key.rows((await key.send('change', role)).importId)
    assert.deepEqual([row?.outcome, row?.record, row?.faults[0]?.field], ['refused', [], 'credential.role'])
  }
  const ofRoot = await root.send('change', 'administrator')
  assert.equal((await root.rows(ofRoot.importId))[0]?.record[0]?.before, 'suspended')
  for (const path of ['rows', 'rows/1'])
    assert.equal((await key.call(`GET /imports/${ofRoot.importId}/${path}`)).status, 403)
  await root.change(ofRoot.importId, { options: { existing: 'update' } })
  assert.equal((await root.in(ofRoot.importId, 'ready')).counts.unchanged, 1)

  const deleting = await root.send('delete', 'member')
  const shown = (await key.rows(deleting.importId))[0]?.record.map(({ field }) => field)
  assert.deepEqual([shown?.includes('lastName'), shown?.includes('credential.role')], [true, false])
  for (const action of ['apply', 'undo'])
    assert.equal((await key.call(`POST /imports/${deleting.importId}/${action}`)).status, 403, action)
  assert.equal((await root.in(deleting.importId, 'ready')).reason, null)
})

test('a file that is refused because its sender may not delete is not stored', async (t) => {
  const file = `${freshFolder()}/test.db`
  const api = await startBasic(t, { DATABASE_URL: `sqlite:${file}` })
  const scopes = ['todos:create', 'todos:update']
  const secret = fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')
  const sent = ndjson([{ todoId: john.lastName }])
  assert.equal((await api('POST /todos/imports?existing=delete', sent, bearer(secret))).status, 403)
  const db = new DatabaseSync(file, { readOnly: true })
  t.after(() => db.close())
  const states = db.prepare('SELECT state FROM import_job').all() as { state: string }[]
  assert.deepEqual(
    states.filter(({ state }) => state !== 'removed'),
    [],
  )
})

test('rows that are checked again leave no unique values of the earlier check behind', async (t) => {
  const file = `${freshFolder()}/test.db`
  const imports = importsOf(await startApp(t, { DATABASE_URL: `sqlite:${file}` }))
  const rows = Array.from({ length: 45 }, (_, at) => ({ ...john, emailAddress: `john${at}@example.com` }))
  const importId = await imports.upload('members', ndjson(rows))
  await imports.in(importId, 'ready')
  for (const existing of ['skip', 'refuse', 'update'])
    await imports.change(importId, { options: { existing } })
  await imports.in(importId, 'ready')
  const db = new DatabaseSync(file, { readOnly: true })
  t.after(() => db.close())
  const rounds = db
    .prepare('SELECT round, count(DISTINCT line) AS lines FROM import_key GROUP BY round')
    .all()
  assert.deepEqual(
    rounds.map(({ round, lines }) => [round, lines]),
    [[4, 45]],
  )
})

for (const { name, url, skip } of databases)
  test(`${name}: undo removes records that refer to each other, the last first`, { skip }, async (t) => {
    const unit = resource({
      name: 'unit',
      fields: { parentId: Nullable(Reference('unit')), title: Text(1, 60) },
    })
    const api = await startApp(t, { DATABASE_URL: await url(t) }, { resources: [unit] })
    const imports = importsOf(api)
    const ids = Array.from(
      { length: 14 },
      (_, at) => `01a22bc7-b8a0-7119-9c79-${String(at).padStart(12, '0')}`,
    )
    const rows = ids.map((unitId, at) => ({ unitId, title: `Unit ${at}`, parentId: ids[at - 1] ?? null }))
    const sent = await api('POST /units/imports?apply=true', ndjson(rows), {
      'Content-Type': 'application/x-ndjson',
    })
    const { importId } = sent.body as Import
    assert.equal((await imports.in(importId, 'done')).counts.applied, ids.length)
    await imports.act(importId, 'undo')
    assert.equal((await imports.in(importId, 'undone')).counts.applied, 0)
    assert.deepEqual((await api('GET /units')).body, [])
  })

test('a property that an object of a JSON list leaves out stays unchanged, and null clears it', async (t) => {
  const api = await startApp(t)
  const imports = importsOf(api)
  const { memberId } = (await api('POST /members', { ...john, address: 'Kyoto', zipCode: '600-0001' }))
    .body as Member
  const rows = [
    { memberId, zipCode: '150-0001' },
    { memberId, address: null },
  ]
  const id = async (row: object) =>
    (
      (
        await api(
          'POST /members/imports?existing=change&apply=true',
          ndjson([row, { memberId: null, zipCode: '1', address: 'x' }]),
          {
            'Content-Type': 'application/x-ndjson',
          },
        )
      ).body as Import
    ).importId
  for (const [row, expected] of [
    [rows[0], ['150-0001', 'Kyoto']],
    [rows[1], ['150-0001', 'null']],
  ] as const) {
    await imports.in(await id(row ?? {}), 'done')
    const member = await api(`GET /members/${memberId}`)
    assert.deepEqual([fieldOf(member, 'zipCode'), fieldOf(member, 'address')], expected)
  }
})
