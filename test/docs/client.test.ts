import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { loan } from '../client/loan.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { projectRoot } from '../program.ts'

const pages = ['docs/client.md', 'src/client/README.md']
const texts = await Promise.all(pages.map((page) => readFile(join(projectRoot, page), 'utf8')))
const recipes = texts.flatMap((text) =>
  Array.from(text.matchAll(/```ts\n(.*?)```/gs), ([, code = '']) => code),
)

/** Variables that a recipe takes from its reader's program, or from the first recipe. */
const surroundings = (address: string, memberId: string) => `
  import * as given from 'rollcall-client'
  export const address = '${address}'
  export const memberId = '${memberId}'
  export const person: given.NewMember = ${JSON.stringify({ ...john, credential: { password: 'short' } })}
  export const signal = AbortSignal.timeout(30_000)
  export const isEnough = () => true
  export const unwrap = given.unwrap
  export const client = given.rollcall(address, { auth: { signId: 'root', password: 'swordfish' } })
  export const todos = client.todos
  export const members = client.members
`

/** A recipe as a program: names that it does not declare are those around it. */
const programOf = (recipe: string, address: string) => {
  const given = surroundings(address, '').matchAll(/export const (\w+)/g)
  const names = Array.from(given, ([, name = '']) => name)
  const isDeclared = (name: string) =>
    new RegExp(`^(?:import|const) \\{[^}]*\\b${name}\\b|^const ${name}\\b`, 'm').test(recipe)
  const needed = names.filter((name) => !isDeclared(name) && new RegExp(`\\b${name}\\b`).test(recipe))
  const around = needed.length === 0 ? '' : `import { ${needed.join(', ')} } from './surroundings.ts'\n`
  return around + recipe.replace('http://127.0.0.1:8080', address)
}

/** A folder with the client as an installed package. */
const folderWithClient = async () => {
  const folder = freshFolder()
  const installed = join(folder, 'node_modules/rollcall-client')
  await mkdir(installed, { recursive: true })
  await symlink(join(projectRoot, 'src/client'), join(installed, 'src'))
  await writeFile(join(installed, 'package.json'), '{"type":"module","exports":"./src/index.ts"}')
  await mkdir(join(folder, 'node_modules/rollcall'))
  await symlink(join(projectRoot, 'src'), join(folder, 'node_modules/rollcall/src'))
  const service = '{"type":"module","exports":{"./resource":"./src/resource.ts"}}'
  await writeFile(join(folder, 'node_modules/rollcall/package.json'), service)
  const module = await readFile(join(projectRoot, 'test/client/loan.ts'), 'utf8')
  await writeFile(join(folder, 'loan.ts'), module.replace('#src/resource.ts', 'rollcall/resource'))
  for (const name of ['standardwebhooks', '@types'])
    await symlink(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

test('every example in docs/client.md compiles, and runs against the service', async (t) => {
  const access = { ACCESS: 'basic', ADMIN_SIGN_ID: 'root', ADMIN_PASSWORD: 'swordfish' }
  const api = await startApp(t, access, { resources: [loan] })
  const authorization = `Basic ${btoa('root:swordfish')}`
  const { body } = await api('POST /members', john, { authorization })
  const folder = await folderWithClient()
  const { memberId } = body as { memberId: string }
  await writeFile(join(folder, 'surroundings.ts'), surroundings(api.url, memberId))
  const files = recipes.map((_, at) => `recipe-${at}.ts`)
  await Promise.all(
    recipes.map((recipe, at) => writeFile(join(folder, `recipe-${at}.ts`), programOf(recipe, api.url))),
  )
  const options =
    '--noEmit --strict --skipLibCheck --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target esnext --module nodenext --types node --allowImportingTsExtensions'
  execFileSync(join(projectRoot, 'node_modules/.bin/tsc'), [...options.split(' '), ...files], {
    cwd: folder,
    stdio: ['ignore', process.stderr, 'inherit'],
  })
  const said: string[] = []
  // A webhook would call an address on the internet.
  for (const [at, file] of files.entries())
    if (!recipes[at]?.includes('standardwebhooks'))
      said.push((await promisify(execFile)(process.execPath, [file], { cwd: folder })).stdout)
  assert.deepEqual(said, [
    '',
    'credential.password "credential.password" size must be between 8 and 128.\n',
    '1 1\nJohn.Smith@example.com\n0\n',
    '',
    '',
    'false\n',
    'whole list: 1\n',
    '[ 201, 201 ]\n',
    '3\n',
    'Emma\ntrue\n',
    'Milk\nMilk\n',
    'not found: 404\ne.xx.fw.5001 404\n',
    '',
    '1 read\n',
  ])
  const changed = await api(`GET /members/${memberId}`, undefined, { authorization })
  assert.partialDeepStrictEqual(changed.body, { address: 'Kyoto' })
})
