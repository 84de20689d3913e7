import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { projectWithNotes, run, serve } from './project.ts'

test('a third resource is one folder and two lines', async (t) => {
  const { url } = await serve(t, await projectWithNotes())
  const created = await call('POST', `${url}/notes`, { body: '{"text":"Buy milk"}' })
  assert.equal(created.status, 201, created.text)
  const location = created.headers.get('Location') ?? ''
  const read = await call('GET', location)
  assert.equal(read.text, created.text)
  const xml = await call('GET', `${url}/notes.xml`)
  assert.match(xml.text, /<notes><note><noteId>[^<]+<\/noteId><text>Buy milk<\/text>/)
  const page = await call('GET', `${url}/notes?page=0&sort=text,desc`)
  assert.equal(JSON.parse(page.text).totalElements, 1)
  assert.equal((await call('GET', location, { tag: read.headers.get('ETag') ?? '' })).status, 304)
  assert.equal((await call('POST', `${url}/notes`, { body: '{"text":""}' })).status, 400)
  assert.equal((await call('DELETE', `${url}/notes`)).headers.get('Allow'), 'GET, HEAD, POST, OPTIONS')
  assert.match((await call('GET', `${url}/openapi.json`)).text, /"\/notes\/\{noteId\}"/)
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

test('a third resource is imported, verified, moved and exported', async () => {
  const folder = await projectWithNotes()
  const note = { noteId: '019e6a3c-6c00-7000-8000-000000000001', text: 'Buy milk' }
  const line = `${JSON.stringify({ ...note, createdAt: '2026-11-21T06:45:00.123Z' })}\n`
  await writeFile(join(folder, 'notes.ndjson'), line)
  await run(folder, ['import', 'notes', 'notes.ndjson', '--database-url', 'sqlite:a.db'])
  assert.equal(
    await run(folder, ['verify', '--database-url', 'sqlite:a.db']),
    'No findings in sqlite:a.db.\n',
  )
  const moved = await run(folder, ['move', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db'])
  assert.match(moved, /^ {2}notes +1 /m)
  assert.equal(await run(folder, ['export', 'notes', '--database-url', 'sqlite:b.db']), line)
})

const call = async (method: string, url: string, { body, tag }: { body?: string; tag?: string } = {}) => {
  const headers = { 'Content-Type': 'application/json', ...(tag && { 'If-None-Match': tag }) }
  const response = await fetch(url, { method, headers, ...(body && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
