import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Nullable, Reference, resource, Text } from '#src/resource.ts'
import { asRoot, enrol, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { csv, importsOf, patch } from './imports.ts'

const asset = resource({
  name: 'asset',
  fields: { title: Text(1, 60), memberId: Nullable(Reference('member')) },
})

const file = csv(
  ['todoTitle'],
  Array.from({ length: 200 }, (_, at) => [`Title ${at}`]),
)

test('an import stops when the administrator who applies it loses that role', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  await api(`PUT /members/${mary.memberId}/role`, { role: 'administrator' }, asRoot)
  const own = importsOf((line, body, headers) => api(line, body, { ...mary.headers, ...headers }))
  const root = importsOf((line, body, headers) => api(line, body, { ...asRoot, ...headers }))
  const importId = await own.upload('todos', file)
  await own.in(importId, 'ready')
  await own.act(importId, 'apply')
  await api(`PUT /members/${mary.memberId}/role`, { role: 'member' }, asRoot)
  const { state, counts } = await root.until(importId, ({ state }) => state === 'stopped' || state === 'done')
  assert.deepEqual([state, (counts.applied ?? 0) < 200], ['stopped', true])
  await root.act(importId, 'apply')
  assert.equal((await root.in(importId, 'done')).counts.applied, 200)
})

test('a key sees only imports into resources that it may create and update', async (t) => {
  const api = await startBasic(t)
  const key = async (scopes: readonly string[]) => {
    const secret = fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')
    return (line: string, body?: unknown, headers = {}) => api(line, body, { ...bearer(secret), ...headers })
  }
  const todos = await key(['todos:create', 'todos:update'])
  const others = await key(['todos:create', 'todos:update'])
  const members = await key(['members:create', 'members:update'])
  const half = await key(['todos:create'])
  const importId = await importsOf(todos).upload('todos', file)
  assert.equal((await todos(`GET /imports/${importId}/rows?page=0`)).status, 200)
  const samplesFor = async (api: typeof todos) => {
    const { columns } = await importsOf(api).in(importId, 'ready')
    return columns[0]?.samples.length
  }
  const samples = await Promise.all([todos, others].map(samplesFor))
  assert.deepEqual(samples, [3, 0], 'only the sender sees samples, because a column may hold passwords')
  for (const path of ['', '/rows', '/rows?page=0'])
    assert.equal((await members(`GET /imports/${importId}${path}`)).status, 404, path)
  assert.deepEqual((await members('GET /imports')).body, { content: [] })
  assert.equal((await members('POST /todos/imports', file)).status, 403)
  assert.equal((await half('POST /todos/imports', file)).status, 403)
  assert.equal((await half(`GET /imports/${importId}`)).status, 403)
})

test('a key undoes its own import, and those of others only if it may delete', async (t) => {
  const api = await startBasic(t)
  const key = async (...more: readonly string[]) => {
    const scopes = ['todos:create', 'todos:update', ...more]
    const secret = fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')
    return (line: string, body?: unknown, headers = {}) => api(line, body, { ...bearer(secret), ...headers })
  }
  const [own, other, deleting] = [await key(), await key(), await key('todos:delete')]
  const left = async () => ((await api('GET /todos', undefined, asRoot)).body as object[]).length
  const applied = async () => {
    const importId = await importsOf(own).upload('todos', file)
    await importsOf(own).in(importId, 'ready')
    await importsOf(own).act(importId, 'apply')
    await importsOf(own).in(importId, 'done')
    return importId
  }
  const first = await applied()
  const count = await left()
  const refused = await other(`POST /imports/${first}/undo`)
  assert.deepEqual([refused.status, fieldOf(refused, 'code')], [403, 'e.xx.fw.4003'])
  assert.deepEqual([count > 0, await left()], [true, count])
  for (const [importId, undoing] of [
    [first, own],
    [await applied(), deleting],
  ] as const) {
    await importsOf(undoing).act(importId, 'undo')
    await importsOf(own).in(importId, 'undone')
  }
  assert.equal(await left(), 0)
})

test('a key that may not read members learns no member id from an import', async (t) => {
  const api = await startBasic(t, {}, { resources: [asset] })
  const { memberId } = await enrol(api, 'mary')
  const as = (headers: Readonly<Record<string, string>>) => {
    const call = (line: string, body?: unknown, more = {}) => api(line, body, { ...headers, ...more })
    const send = async (value: string) => {
      const importId = await importsOf(call).upload('assets', csv(['title', 'member'], [['Desk', value]]))
      await importsOf(call).in(importId, 'ready')
      return importId
    }
    return { call, send, ...importsOf(call) }
  }
  const key = async (...more: readonly string[]) => {
    const scopes = ['assets:create', 'assets:update', ...more]
    return as(bearer(fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret')))
  }
  const [root, blind, reading] = [as(asRoot), await key(), await key('members:read')]
  const firstRow = async (caller: typeof root, value: string) =>
    (await caller.rows(await caller.send(value)))[0]
  assert.equal((await firstRow(reading, 'mary'))?.outcome, 'new')
  assert.equal((await firstRow(blind, memberId))?.outcome, 'new')
  const refused = await firstRow(blind, 'mary')
  assert.deepEqual(
    [refused?.outcome, refused?.faults[0]?.message],
    ['refused', 'No member has the member id "mary".'],
  )

  const ofRoot = await root.send('mary')
  const replacement = { field: 'memberId', from: null, to: 'mary' }
  const correction = { values: [{ field: 'memberId', value: 'mary' }] }
  const lines: readonly [string, unknown?][] = [
    ['GET /rows'],
    ['GET /rows/2'],
    ['PATCH /rows/2', correction],
    ['PATCH /rows', replacement],
  ]
  for (const [line, body] of lines)
    for (const [caller, status] of [
      [blind, 403],
      [reading, 200],
    ] as const) {
      const answer = await caller.call(line.replace(' ', ` /imports/${ofRoot}`), body, body ? patch : {})
      assert.equal(answer.status, status, line)
    }

  // An administrator goes on with the import of the blind key: from then on, rows are checked with the rights of the administrator.
  const ofBlind = await blind.send('nobody')
  await root.act(ofBlind, 'apply')
  await root.in(ofBlind, 'done')
  const refusedToBlind = async () => {
    for (const [line, body] of lines) {
      const answer = await blind.call(line.replace(' ', ` /imports/${ofBlind}`), body, body ? patch : {})
      assert.equal(answer.status, 403, line)
    }
  }
  await refusedToBlind()
  await blind.act(ofBlind, 'undo')
  await root.in(ofBlind, 'undone')
  await refusedToBlind()
})

test('rows with a role or a reference that no column has are hidden like those with such a column', async (t) => {
  const api = await startBasic(t, {}, { resources: [asset] })
  const mary = await enrol(api, 'mary')
  const scopes = ['assets:create', 'assets:update', 'members:create', 'members:update']
  const key = bearer(fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret'))
  const root = importsOf((line, body, headers) => api(line, body, { ...asRoot, ...headers }))
  const send = async (plural: string, table: string) => {
    const importId = await root.upload(plural, table)
    await root.in(importId, 'ready')
    const statusOfRows = async () => (await api(`GET /imports/${importId}/rows`, undefined, key)).status
    return { importId, statusOfRows }
  }
  const members = await send('members', csv(['memberId', 'zipCode'], [[mary.memberId, '1']]))
  const corrected = await send('assets', csv(['title'], [['Desk']]))
  const replaced = await send('assets', csv(['title'], [['Desk']]))
  const unmapped = await send('assets', csv(['title', 'member'], [['Desk', 'mary']]))
  const before = [members, corrected, replaced].map((one) => one.statusOfRows())
  assert.deepEqual(await Promise.all(before), [200, 200, 200])
  await root.correct(members.importId, 2, [{ field: 'credential.role', value: 'suspended' }])
  await root.correct(corrected.importId, 2, [{ field: 'memberId', value: 'mary' }])
  const replacement = { field: 'memberId', from: null, to: 'mary' }
  await api(`PATCH /imports/${replaced.importId}/rows`, replacement, { ...asRoot, ...patch })
  await root.act(unmapped.importId, 'apply')
  await root.in(unmapped.importId, 'done')
  const after = [members, corrected, replaced, unmapped].map((one) => one.statusOfRows())
  assert.deepEqual(await Promise.all(after), [403, 403, 403, 403])
})

test('only who may restore records imports a new one with the id of a deleted one, whose versions and history it continues', async (t) => {
  const api = await startBasic(t, {}, { resources: [asset] })
  const scopes = ['assets:create', 'assets:update', 'members:create', 'members:update']
  const key = bearer(fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret'))
  const { memberId } = await enrol(api, 'mary')
  const { assetId } = (await api('POST /assets', { title: 'Desk' }, asRoot)).body as { assetId: string }
  const { credential: _, ...profile } = john
  const files = [
    ['members', memberId, { ...profile, memberId, signId: 'eve', password: 'swordfish' }],
    ['assets', assetId, { assetId, title: 'Chair' }],
  ] as const
  for (const [plural, id, row] of files) {
    assert.equal((await api(`DELETE /${plural}/${id}`, undefined, asRoot)).status, 204)
    const send = async (headers: Readonly<Record<string, string>>) => {
      const imports = importsOf((line, body, more) => api(line, body, { ...headers, ...more }))
      const importId = await imports.upload(plural, JSON.stringify([row]))
      await imports.in(importId, 'ready')
      await imports.act(importId, 'apply')
      await imports.in(importId, 'done')
      return (await imports.rows(importId))[0]
    }
    const refused = await send(key)
    assert.deepEqual([refused?.outcome, refused?.faults[0]?.code], ['refused', 'Unique'], plural)
    assert.equal((await send(asRoot))?.isApplied, true)
    const { content } = (await api(`GET /${plural}/${id}/history`, undefined, asRoot)).body as {
      content: readonly { change: { data: { version: number } } }[]
    }
    assert.deepEqual(
      content.map(({ change }) => change.data.version),
      [3, 2, 1],
    )
  }
})

for (const { name, url, skip } of databases)
  test(`${name}: undoing an import keeps a record if others that refer to it would be deleted with it`, {
    skip,
  }, async (t) => {
    const settings = { DATABASE_URL: await url(t) }
    const part = resource({
      name: 'part',
      fields: { title: Text(1, 60), assetId: Reference('asset', { onDelete: 'cascade' }) },
    })
    const api = await startBasic(t, settings, { resources: [asset, part] })
    const scopes = ['assets:create', 'assets:update']
    const key = bearer(fieldOf(await api('POST /keys', { name: 'importer', scopes }, asRoot), 'secret'))
    const imports = importsOf((line, body, headers) => api(line, body, { ...key, ...headers }))
    const importId = await imports.upload('assets', csv(['title'], [['Desk'], ['Chair']]))
    await imports.in(importId, 'ready')
    await imports.act(importId, 'apply')
    await imports.in(importId, 'done')
    const [desk, chair] = (await imports.rows(importId)).map(({ recordId }) => recordId)
    const made = await api('POST /parts', { title: 'Leg', assetId: desk }, asRoot)
    await imports.act(importId, 'undo')
    await imports.in(importId, 'undone')
    const paths = [`/parts/${fieldOf(made, 'partId')}`, `/assets/${desk}`, `/assets/${chair}`]
    const found = paths.map(async (path) => (await api(`GET ${path}`, undefined, asRoot)).status)
    assert.deepEqual(await Promise.all(found), [200, 200, 404])
    assert.deepEqual(
      (await imports.rows(importId)).map(({ isApplied, faults }) => [isApplied, faults[0]?.code]),
      [
        [true, 'ChangedSince'],
        [false, undefined],
      ],
    )
  })

for (const { name, url, skip } of databases)
  test(`${name}: erasing a member deletes its staged rows and the file`, { skip }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    const { memberId } = (await api('POST /members', john)).body as { memberId: string }
    const imports = importsOf(api)
    const row = [memberId, 'Erased']
    const importId = await imports.upload('members', csv(['memberId', 'lastName'], [row]))
    assert.equal((await imports.in(importId, 'ready')).counts.changed, 1)
    assert.equal((await api(`DELETE /members/${memberId}?erase=true`)).status, 204)
    assert.deepEqual(await imports.rows(importId), [])
    // There is no file that could be read again.
    await api(
      `PATCH /imports/${importId}`,
      { options: { encoding: 'utf-8' } },
      { 'Content-Type': 'application/merge-patch+json' },
    )
    for (;;) {
      const { state } = (await api(`GET /imports/${importId}`)).body as { state: string }
      if (state === 'failed') return
      assert.equal(state, 'reading')
    }
  })

test('an interrupted, too large or unreadable file is refused in one sentence, and leaves no import', async (t) => {
  const api = await startApp(t, { DATABASE_URL: `sqlite:${freshFolder()}/test.db` })
  assert.equal((await api('POST /todos/imports', '', { 'Content-Encoding': 'gzip' })).status, 415)
  const large = await api('POST /todos/imports', Buffer.alloc(65 * 1024 * 1024, 'a'))
  assert.deepEqual([large.status, (large.body as { code: string }).code], [413, 'e.xx.fw.6004'])
  assert.deepEqual((await api('GET /imports')).body, { content: [] })
  const { importId } = (await api('POST /todos/imports', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1])))
    .body as { importId: string }
  for (;;) {
    const found = (await api(`GET /imports/${importId}`)).body as { state: string; reason: string }
    if (found.state === 'reading') continue
    assert.equal(found.state, 'failed')
    assert.match(found.reason, /^[A-Z].*\.$/)
    return
  }
})
