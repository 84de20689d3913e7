import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('a third resource is one folder and two lines', async (t) => {
  const url = await serve(t, await projectWithNotes(t))
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

const call = async (method: string, url: string, { body, tag }: { body?: string; tag?: string } = {}) => {
  const headers = { 'Content-Type': 'application/json', ...(tag && { 'If-None-Match': tag }) }
  const response = await fetch(url, { method, headers, ...(body && { body }) })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** A copy of the sources with the room in its place, and its two lines in the list. */
const projectWithNotes = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-example-'))
  t.after(() => rm(folder, { recursive: true }))
  await cp(join(root, 'src'), join(folder, 'src'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(root, 'test/example/note'), join(folder, 'src/resources/note'), { recursive: true })
  const list = join(folder, 'src/resources/index.ts')
  const text = await readFile(list, 'utf8')
  const lines = text
    .replace('import type { Resource }', "import { note } from './note/index.ts'\nimport type { Resource }")
    .replace('[todo, member]', '[todo, member, note]')
  await writeFile(list, lines)
  return folder
}

/** Starts the copy, and ends it with the test. */
const serve = async (t: TestContext, folder: string): Promise<string> => {
  const settings = {
    PORT: '0',
    MANAGEMENT_PORT: 'off',
    DATABASE_URL: `sqlite:${join(folder, 'data/test.db')}`,
  }
  const child = spawn(process.execPath, ['src/main.js', 'serve'], {
    cwd: folder,
    env: { ...process.env, ...settings },
  })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    const [url] = /http:\/\/\S+\/api\/v1/.exec(said) ?? []
    if (url) return url
  }
  throw new Error(said)
}
