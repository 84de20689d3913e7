import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { versionAndCommit } from '#src/version.ts'
import { fileLinks } from '#test/docs/links.ts'

/** Packs the package and that of the client, installs them in an empty folder, and uses it there as any user would. */
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'rollcall-pack-'))
const bin = join(folder, 'node_modules/.bin/rollcall')

const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

const tell = (text: string) => void process.stdout.write(`${text}\n`)

const install = () => {
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root))
  tell(
    `${packed.filename}: ${packed.files.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked`,
  )
  const strangers = packed.files.filter(({ path }: { path: string }) => /\.test\.|^test\/|^lab\//.test(path))
  assert.deepEqual(strangers, [])
  const licences = packed.files.filter(({ path }: { path: string }) => /\/OFL-[\w-]+\.txt$/.test(path))
  assert.equal(licences.length, 2)
  const entry = packed.files.find(({ path }: { path: string }) => path === 'dist/lib/main.js')
  assert.equal(entry.mode & 0o111, 0o111)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const [client] = JSON.parse(npm(['pack', './dist/client', '--json', '--pack-destination', folder], root))
  tell(
    `${client.filename}: ${client.files.length} files, ${client.size} bytes packed, ${client.unpackedSize} unpacked`,
  )
  const both = [packed, client].map(({ filename }) => join(folder, filename))
  npm(['install', '--no-audit', '--no-fund', ...both], folder)
}

/** No document of the package has a dead link. Sources and tests are in the repository, as docs/http.md says. */
const checkLinks = () => {
  const installed = join(folder, 'node_modules/rollcall')
  const links = fileLinks(installed).filter(({ to }) => !/^(src|test|lab)\//.test(to))
  assert.ok(links.length > 100)
  assert.deepEqual(
    links.filter(({ to }) => !existsSync(join(installed, to))),
    [],
  )
  tell(`${links.length} links and pictures in its documents lead to files of the package`)
}

const checkTypes = () => {
  const client = `
    import { rollcall as open, unwrap } from 'rollcall/client'
    const { todos, members } = open('http://127.0.0.1:8080')
    export const title: string = unwrap(await todos.create({ todoTitle: 'typed' })).value.todoTitle
    for await (const member of members.each({ name: title })) console.log(member.lastName satisfies string)
    // @ts-expect-error
    await todos.create({ title })`
  const declared = `
    import { rollcall as open, unwrap } from 'rollcall/client'
    const { loans } = open<typeof import('./loan.ts')>('http://127.0.0.1:8080')
    const { value } = unwrap(await loans.create({ title: 'Emma', due: '2026-12-24' }))
    unwrap(await loans.giveBack(value.loanId)).value.returned satisfies boolean
    for await (const { due } of loans.each({ dueFrom: value.due, q: 'Emma', sort: 'title' })) console.log(due satisfies string)
    // @ts-expect-error
    await loans.list({ due: '2026-12-24' })`
  const loan = `
    import { Day, Flag, resource, Starting, Text } from 'rollcall/resource'
    export const loan = resource({
      name: 'loan',
      fields: { title: Text(1, 60), due: Day, returned: Starting(false, Flag) },
      actions: { giveBack: { summary: 'Give back', does: (loan) => ({ ...loan, returned: true }) } },
    })`
  const service = `
    import { rollcall } from 'rollcall'
    import { loan } from './loan.ts'
    const service = await rollcall({ DATABASE_URL: 'sqlite::memory:', resources: [loan] })
    console.log(service.url satisfies string)
    // @ts-expect-error
    await rollcall({ DATABASE: 'sqlite::memory:' })`
  writeFileSync(join(folder, 'loan.ts'), loan)
  const inPage = ['--types', '', '--lib', 'esnext,dom']
  for (const name of ['rollcall/client', 'rollcall-client']) {
    compile('client.ts', client.replace('rollcall/client', name), inPage)
    // The types of a declaration include those of the service, which are for Node.
    compile('declared.ts', declared.replace('rollcall/client', name), [...inPage, '--skipLibCheck'])
  }
  compile('service.ts', service, ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')])
  tell(
    "TypeScript programs compile: one with 'rollcall' and 'rollcall/resource', and one with each client without the Node types",
  )
}

const compile = (name: string, program: string, further: readonly string[]) => {
  writeFileSync(join(folder, name), program)
  const tsc = join(root, 'node_modules/.bin/tsc')
  const options = [
    '--noEmit',
    '--strict',
    '--allowImportingTsExtensions',
    '--target',
    'esnext',
    '--module',
    'nodenext',
  ]
  execFileSync(tsc, [...options, ...further, name], { cwd: folder, stdio: 'inherit' })
}

const checkCommand = async () => {
  const version = execFileSync(bin, ['--version'], { encoding: 'utf8' }).trim()
  assert.equal(version, versionAndCommit())
  const environment = { PATH: process.env.PATH, PORT: '0', MANAGEMENT_PORT: '0' }
  const child = spawn(bin, ['serve', '--resources', './loan.ts'], {
    cwd: folder,
    env: environment,
    detached: true,
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const exit = once(child, 'exit')
  while (!said.includes('Open to'))
    await Promise.race([once(child.stderr, 'data'), exit.then(() => assert.fail(said))])
  await checkService(/API +(\S+)/.exec(said)?.[1] ?? '', /Console +(\S+)/.exec(said)?.[1] ?? '')
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await exit
  tell(
    'node_modules/.bin/rollcall serve: API, console, docs, metrics, a scan and a hash on their threads answer',
  )
}

const member = {
  firstName: 'Otto',
  lastName: 'Other',
  genderCode: '1',
  dateOfBirth: '1990-01-01',
  emailAddress: 'otto@example.com',
  credential: { signId: 'otto', password: 'correct horse battery' },
}

const checkService = async (api: string, management: string) => {
  const headers = { 'Content-Type': 'application/json' }
  const post = async (path: string, record: object) => {
    const { status } = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(record) })
    assert.equal(status, 201, path)
  }
  await post('/todos', { todoTitle: 'packed' })
  await post('/members', member)
  assert.equal((await (await fetch(`${api}/todos`)).text()).includes('packed'), true)
  assert.equal((await fetch(`${api}/members?name=none&size=5`)).status, 200)
  assert.equal((await fetch(`${api}/loans`)).status, 200)
  for (const path of ['/', '/docs', '/metrics', '/health/ready'])
    assert.equal((await fetch(management + path)).status, 200, path)
}

const checkLibrary = () => {
  const program = `
    import { rollcall } from 'rollcall'
    import { rollcall as client, unwrap } from 'rollcall/client'
    const service = await rollcall({ DATABASE_URL: 'sqlite::memory:' })
    const { todos } = client(service.url)
    const { value } = unwrap(await todos.create({ todoTitle: 'embedded' }))
    import.meta.resolve('rollcall/package.json')
    console.log(value.todoTitle)
    await service.close()`
  writeFileSync(join(folder, 'embedded.js'), program)
  const said = execFileSync(process.execPath, ['embedded.js'], { cwd: folder, encoding: 'utf8' })
  assert.equal(said.trim(), 'embedded')
  const required = "console.log(Object.keys(require('rollcall')).sort().join())"
  const imported = "import('rollcall').then((all) => console.log(Object.keys(all).sort().join()))"
  const own =
    "import('./node_modules/rollcall/dist/lib/index.js').then((all) => console.log(Object.keys(all).sort().join()))"
  const [names, ...others] = [own, imported, required].map((code) =>
    execFileSync(process.execPath, ['--input-type=commonjs', '-e', code], { cwd: folder, encoding: 'utf8' }),
  )
  for (const other of others) assert.equal(other, names)
  tell("import { rollcall } from 'rollcall', and from 'rollcall/client': both work")
}

try {
  install()
  checkLinks()
  checkTypes()
  checkLibrary()
  await checkCommand()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
