import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { john as member } from '../people.ts'
import { outcomeOf, projectWithNotes, run, serve } from './project.ts'

for (const { name, url: databaseUrl, skip } of databases) {
  test(`${name}: a third resource is one folder and two lines, and may refer to a member`, {
    skip,
  }, async (t) => {
    const { url } = await serve(t, await projectWithNotes(), { DATABASE_URL: await databaseUrl(t) })
    const member = JSON.parse((await call('POST', `${url}/members`, { body: john })).text)
    const note = (memberId: string, text = 'Buy milk') => ({ body: JSON.stringify({ memberId, text }) })
    const created = await call('POST', `${url}/notes`, note(member.memberId))
    assert.equal(created.status, 201, created.text)
    const location = created.headers.get('Location') ?? ''
    const read = await call('GET', location)
    assert.equal(read.text, created.text)
    const xml = await call('GET', `${url}/notes.xml`)
    assert.match(xml.text, /<notes><note><noteId>[^<]+<\/noteId><memberId>[^<]+<\/memberId><text>Buy milk</)
    const page = await call('GET', `${url}/notes?page=0&sort=text,desc`)
    assert.equal(JSON.parse(page.text).totalElements, 1)
    assert.equal((await call('GET', location, { tag: read.headers.get('ETag') ?? '' })).status, 304)
    assert.equal((await call('POST', `${url}/notes`, note(member.memberId, ''))).status, 400)
    assert.equal((await call('DELETE', `${url}/notes`)).headers.get('Allow'), 'GET, HEAD, POST, OPTIONS')
    assert.match((await call('GET', `${url}/openapi.json`)).text, /"\/notes\/\{noteId\}"/)
    for (const wrong of ['zzz', '', member.memberId.toUpperCase()]) {
      const refused = await call('POST', `${url}/notes`, note(wrong))
      assert.deepEqual([refused.status, JSON.parse(refused.text).code], [400, 'e.xx.fw.7003'], wrong)
      assert.equal(JSON.parse(refused.text).details[0].target, 'memberId')
    }
    const missing = await call('POST', `${url}/notes`, note('019e6a3c-6c00-7000-8000-000000000009'))
    assert.equal(missing.status, 409)
    assert.deepEqual(JSON.parse(missing.text), {
      code: 'e.xx.fw.8002',
      message: 'Conflict with other processing occurred.',
      details: [
        {
          code: 'Reference',
          message: '"memberId" refers to a member that does not exist.',
          target: 'memberId',
        },
      ],
    })
    assert.equal((await call('DELETE', `${url}/members/${member.memberId}`)).status, 204)
    assert.equal((await call('GET', location)).status, 404)
  })

  test(`${name}: a third resource is imported, verified, moved and exported`, { skip }, async (t) => {
    const folder = await projectWithNotes()
    const database = ['--database-url', await databaseUrl(t)]
    const [memberId, createdAt] = ['019e6a3c-6c00-7000-8000-000000000001', '2026-11-21T06:45:00.123Z']
    const line = (about: string) =>
      `${JSON.stringify({ noteId: '019e6a3c-6c00-7000-8000-000000000002', memberId: about, text: 'Buy milk', createdAt })}\n`
    const missing = line('019e6a3c-6c00-7000-8000-000000000009')
    await writeFile(join(folder, 'members.ndjson'), JSON.stringify({ memberId, ...JSON.parse(john) }))
    await writeFile(join(folder, 'notes.ndjson'), missing + line(memberId))
    await run(folder, ['import', 'members', 'members.ndjson', ...database])
    for (const more of [['--dry-run'], []]) {
      const { code, output } = await outcomeOf(folder, [
        'import',
        'notes',
        'notes.ndjson',
        ...database,
        ...more,
      ])
      assert.deepEqual([code, output.includes('1 refused')], [1, true], output)
      const report = await readFile(join(folder, 'notes.ndjson.refused.ndjson'), 'utf8')
      assert.match(
        report,
        /^\{"line":1,"code":"e.xx.fw.8002".*"memberId\\" refers to a member that does not exist/,
      )
    }
    assert.match(await run(folder, ['verify', ...database]), /^No findings in /m)
    const moved = await run(folder, ['move', '--from', database[1] ?? '', '--to', 'sqlite:b.db'])
    assert.match(moved, /^ {2}notes +1 /m)
    assert.equal(await run(folder, ['export', 'notes', '--database-url', 'sqlite:b.db']), line(memberId))
  })
}

test('the client has the methods of a third resource', async (t) => {
  const folder = await projectWithNotes()
  const { url } = await serve(t, folder)
  const { rollcall, unwrap } = await import(join(folder, 'src/client/index.ts'))
  const { members, notes } = rollcall(new URL(url).origin)
  const { value: member } = unwrap(await members.create(JSON.parse(john)))
  const made = unwrap(await notes.create({ memberId: member.memberId, text: 'Buy milk' }))
  assert.deepEqual(unwrap(await notes.get(made)).value, made.value)
  assert.deepEqual(await Array.fromAsync(notes.each()), [made.value])
})

test('the scopes of a third resource appear in the OpenAPI document and the resource metadata', async (t) => {
  const folder = await projectWithNotes()
  const settings = { ACCESS: 'oauth', OAUTH_ISSUER: 'https://issuer.example', OAUTH_AUDIENCE: 'rollcall' }
  const { url } = await serve(t, folder, settings)
  const { paths } = JSON.parse((await call('GET', `${url}/openapi.json`)).text)
  assert.deepEqual(paths['/notes'].get.security, [{ oauth: ['notes:read'] }])
  const metadata = await call('GET', new URL('/.well-known/oauth-protected-resource', url).href)
  assert.partialDeepStrictEqual(JSON.parse(metadata.text), {
    scopes_supported: ['notes:read', 'notes:create'],
  })
})

const john = JSON.stringify(member)

const call = async (method: string, url: string, { body, tag }: { body?: string; tag?: string } = {}) => {
  const headers = { 'Content-Type': 'application/json', ...(tag && { 'If-None-Match': tag }) }
  const response = await fetch(url, { method, headers, ...(body && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
