import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { john } from '../people.ts'
import { projectRoot } from '../program.ts'

/** A project of its own that has the package, and the room of the guide in its folder. */
const hostProject = async () => {
  const folder = freshFolder()
  const installed = join(folder, 'node_modules/rollcall')
  await mkdir(installed, { recursive: true })
  await symlink(join(projectRoot, 'src'), join(installed, 'src'))
  await symlink(join(projectRoot, 'node_modules/pino'), join(folder, 'node_modules/pino'))
  const exports = { '.': './src/entry.js', './room': './src/room.ts', './client': './src/client/index.ts' }
  await writeFile(join(installed, 'package.json'), JSON.stringify({ name: 'rollcall', exports }))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await cp(join(projectRoot, 'test/example/note'), join(folder, 'note'), { recursive: true })
  for (const name of await readdir(join(folder, 'note'))) {
    const file = join(folder, 'note', name)
    if (name.endsWith('.ts'))
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/'#[^']+'/g, "'rollcall/room'"))
  }
  await writeFile(join(folder, 'host.ts'), await hostOfGuide())
  return folder
}

/** The program that the guide shows. */
const hostOfGuide = async () => {
  const guide = await readFile(join(projectRoot, 'docs/adding-a-resource.md'), 'utf8')
  const found = [...guide.matchAll(/```ts\n(.*?)```/gs)].find(([, code]) => code?.includes("from 'rollcall'"))
  assert.ok(found?.[1])
  return found[1]
}

interface Host {
  readonly url: string
  readonly log: readonly Readonly<Record<string, unknown>>[]
  readonly child: ChildProcess
}

const startHost = async (t: TestContext, folder: string): Promise<Host> => {
  const child = spawn(process.execPath, ['host.ts'], {
    cwd: folder,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const log: Record<string, unknown>[] = []
  let text = ''
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(text)))
    child.stdout.on('data', (chunk) => {
      const lines = (text + chunk).split('\n')
      text = lines.pop() ?? ''
      log.push(...lines.map((line) => JSON.parse(line)))
      const { port } = log.find((line) => line.port !== undefined) ?? {}
      if (port !== undefined) resolve({ url: `http://127.0.0.1:${port}`, log, child })
    })
  })
}

const post = async (url: string, body: object) => {
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}

test('a program brings a resource of its own, its log and its server', async (t) => {
  const { url, log, child } = await startHost(t, await hostProject())
  assert.equal(await (await fetch(url)).text(), 'the program itself')
  const api = `${url}/api/v1`
  const member = await post(`${api}/members`, john)
  assert.equal(member.headers.get('Location'), `${api}/members/${member.body.memberId}`)
  const note = await post(`${api}/notes`, { memberId: member.body.memberId, text: 'Buy milk' })
  assert.equal(note.status, 201)
  assert.deepEqual(await (await fetch(`${api}/notes`)).json(), [note.body])
  const refused = await post(`${api}/notes`, { memberId: member.body.memberId, text: '' })
  assert.deepEqual([refused.status, refused.body.details[0].target], [400, 'text'])
  assert.match(await (await fetch(`${api}/openapi.json`)).text(), /"\/notes\/\{noteId\}"/)
  const changes = await (await fetch(`${api}/changes`)).json()
  assert.deepEqual(
    changes.content.map(({ type }: { type: string }) => type),
    ['member.created'],
  )
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  const { status, track, name, level } = log.find(({ route }) => route === '/notes') ?? {}
  assert.deepEqual([status, track, name, level], [201, note.headers.get('X-Track'), 'host', 30])
})
