import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'

const src = new URL('../../src/', import.meta.url)

/** Runs a program in a Node that reports an older version. */
const inNode20 = (program: string) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
  const preload = `data:text/javascript,${encodeURIComponent(older)}`
  const words = ['--import', preload, '--input-type=module', '-e', program]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  return { status, stderr }
}

test('the command and the package tell a user of an old Node which version is needed', () => {
  const command = inNode20(`await import('${new URL('main.js', src)}')`)
  assert.deepEqual(command, { status: 2, stderr: 'rollcall: Node 26 or later is needed; this is 20.1.0.\n' })
  const entry = inNode20(
    `await import('${new URL('entry.js', src)}').catch(({ message }) => console.error(message))`,
  )
  assert.equal(entry.stderr, 'Node 26 or later is needed; this is 20.1.0.\n')
})

test('a clone whose packages are not installed says how to install them', () => {
  const clone = freshFolder()
  for (const name of ['package.json', 'src'])
    cpSync(new URL(`../${name}`, src), join(clone, name), { recursive: true })
  const { status, stderr } = spawnSync(process.execPath, [join(clone, 'src/main.js'), 'serve'], {
    encoding: 'utf8',
  })
  assert.deepEqual(
    { status, stderr },
    { status: 2, stderr: 'rollcall: Packages that it needs are not installed: run `npm ci`.\n' },
  )
})

test('the package exports the same as index.ts', async () => {
  const entry = await import('#src/entry.js')
  const index = await import('#src/index.ts')
  assert.deepEqual({ ...entry }, { ...index })
})
