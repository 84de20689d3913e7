import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freshFolder } from '#test/fresh-folder.ts'
import { startApp } from '#test/harness.ts'
import { john } from '#test/people.ts'
import { settingsPage } from './settings-page.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const readme = readFileSync(`${root}README.md`, 'utf8')

/** The fenced block of a page that contains this. */
const block = (content: string, page = readme): string => {
  const blocks = [...page.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, text = '']) => text)
  const found = blocks.find((text) => text.includes(content))
  assert.ok(found, content)
  return found
}

/** Replaces ids and times, which differ on each run. */
const masked = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+/g, '<instant>')

const noCurl = spawnSync('curl', ['--version']).error ? 'NOT RUN: there is no curl' : false

test('the README is short, and begins with the two commands', () => {
  assert.ok(readme.split(/\s+/).length <= 900)
  assert.match(block('npm ci'), /^npm ci && npm start .*\nnpm ci && npm test .*\n$/)
})

test('the declaration and the shell session of the README do and print what it shows', {
  skip: noCurl,
}, async (t) => {
  const folder = freshFolder()
  const [written = '', start] = block('cat > loan.ts').split(/(?=^npm start)/m)
  assert.equal(start, 'npm start -- --resources ./loan.ts --database-url sqlite:./data/loans.db\n')
  await promisify(execFile)('sh', ['-c', written], { cwd: folder })
  const api = await startApp(t, { RESOURCES: join(folder, 'loan.ts') })
  const session = block('API=http').replace('http://127.0.0.1:8080', api.url)
  const { stdout } = await promisify(execFile)('sh', ['-c', session])
  assert.equal(masked(stdout), masked(block('{"loanId"')))
})

test('the client example of the README runs and does what it shows', async (t) => {
  const api = await startApp(t)
  const { body } = await api('POST /members', john)
  const { memberId } = body as { memberId: string }
  const source = block("from 'rollcall-client'")
    .replace("'rollcall-client'", "'#client/index.ts'")
    .replace('http://127.0.0.1:8080', api.url)
  const program = `const id = '${memberId}'\n${source}`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', program],
    { cwd: root },
  )
  assert.equal(stdout, 'Smith\n')
  assert.partialDeepStrictEqual((await api(`GET /members/${memberId}`)).body, { address: 'Kyoto' })
  assert.partialDeepStrictEqual((await api('GET /todos')).body, [{ todoTitle: 'Milk', finished: true }])
})

test('the first embedding example of the guide starts a service that answers', async () => {
  const folder = freshFolder()
  const guide = readFileSync(`${root}docs/resources.md`, 'utf8')
  const program = `${block("from 'rollcall'\n\nconst service", guide)
    .replace("'rollcall'", `'${root}src/index.ts'`)
    .replace('./members.db', join(folder, 'members.db'))}
    console.log((await fetch(service.url + '/api/v1/todos')).status)
    await service.close()`
  await writeFile(join(folder, 'program.mts'), program)
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mts')])
  assert.equal(stdout, '200\n')
})

test('the page of settings is made from the settings', () => {
  assert.equal(readFileSync(new URL(settingsPage.path, import.meta.url), 'utf8'), settingsPage.text)
})
