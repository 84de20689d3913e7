import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { john } from '../people.ts'
import { projectRoot } from '../program.ts'

/** A separate project with the package, and with the resource of the guide in its folder. */
const hostProject = async () => {
  const folder = freshFolder()
  const installed = join(folder, 'node_modules/rollcall')
  await mkdir(installed, { recursive: true })
  await symlink(join(projectRoot, 'src'), join(installed, 'src'))
  await symlink(join(projectRoot, 'node_modules/pino'), join(folder, 'node_modules/pino'))
  const exports = {
    ...{ '.': './src/entry.js', './resource': './src/resource.ts' },
    './client': './src/client/index.ts',
  }
  await writeFile(join(installed, 'package.json'), JSON.stringify({ name: 'rollcall', exports }))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const module = await readFile(join(projectRoot, 'test/resources/loan.ts'), 'utf8')
  await writeFile(join(folder, 'loan.ts'), module.replace('#src/resource.ts', 'rollcall/resource'))
  await writeFile(join(folder, 'host.ts'), await hostOfGuide())
  return folder
}

/** The program from the guide. */
const hostOfGuide = async () => {
  const guide = await readFile(join(projectRoot, 'docs/resources.md'), 'utf8')
  const found = [...guide.matchAll(/```ts\n(.*?)```/gs)].find(([, code]) => code?.includes('createServer('))
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
  const made = (await answer.json()) as { memberId: string; details: { target: string }[] }
  return { status: answer.status, body: made, headers: answer.headers }
}

test('a program that embeds the service can add a resource, and use its own log and HTTP server', async (t) => {
  const { url, log, child } = await startHost(t, await hostProject())
  assert.equal(await (await fetch(url)).text(), 'the program itself')
  const api = `${url}/api/v1`
  const member = await post(`${api}/members`, john)
  assert.equal(member.headers.get('Location'), `${api}/members/${member.body.memberId}`)
  const { memberId } = member.body
  const saw = { memberId, title: 'Saw', due: '2026-12-24', kind: 'tool' }
  const loan = await post(`${api}/loans`, saw)
  assert.equal(loan.status, 201)
  assert.deepEqual(await (await fetch(`${api}/loans`)).json(), [loan.body])
  const refused = await post(`${api}/loans`, { ...saw, title: '' })
  assert.deepEqual([refused.status, refused.body.details[0]?.target], [400, 'title'])
  assert.match(await (await fetch(`${api}/openapi.json`)).text(), /"\/loans\/\{loanId\}"/)
  const changes = (await (await fetch(`${api}/changes`)).json()) as { content: { type: string }[] }
  assert.deepEqual(
    changes.content.map(({ type }) => type),
    ['member.created', 'loan.created'],
  )
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  const { status, track, name, level } = log.find(({ route }) => route === '/loans') ?? {}
  assert.deepEqual([status, track, name, level], [201, loan.headers.get('X-Track'), 'host', 30])
})
