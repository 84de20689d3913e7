import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const src = new URL('../../src/', import.meta.url)

/** Runs a program in a Node that takes itself for an older one. */
const inNode20 = (program: string) => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`
  const preload = `data:text/javascript,${encodeURIComponent(older)}`
  const words = ['--import', preload, '--input-type=module', '-e', program]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  return { status, stderr }
}

test('a Node that is too old is told which one is needed, by the command and by the package', () => {
  const command = inNode20(`await import('${new URL('main.js', src)}')`)
  assert.deepEqual(command, { status: 2, stderr: 'rollcall: Node 26 or later is needed; this is 20.1.0.\n' })
  const entry = inNode20(
    `await import('${new URL('entry.js', src)}').catch(({ message }) => console.error(message))`,
  )
  assert.equal(entry.stderr, 'Node 26 or later is needed; this is 20.1.0.\n')
})

test('what the package gives is what index.ts exports', async () => {
  const entry = await import('#src/entry.js')
  const index = await import('#src/index.ts')
  assert.deepEqual({ ...entry }, { ...index })
})
