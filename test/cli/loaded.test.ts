import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { rollcall } from '../operations/child.ts'

const reportLoads = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })`
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(reportLoads)}`

/** The modules from files that a command loads. */
const loadedBy = async (...args: readonly string[]) => {
  const { err } = await rollcall(args, { environment: { NODE_OPTIONS } })
  return err.split('\n').filter((line) => line.startsWith('file:'))
}

const heavy = /\/src\/(app\.ts|log\.ts|resources\/|sql\/open\.ts)|\/node_modules\/(ajv|pino)\//

test('a command for a running service loads neither the service nor a database', async (t) => {
  const stranger = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1')
  t.after(() => stranger.close())
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  const loaded = await loadedBy('member', 'list', '--url', `http://127.0.0.1:${port}`)
  assert.ok(loaded.some((url) => url.endsWith('/src/client/calling.ts')))
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url)),
    [],
  )
})

test('--version loads no command', async () => {
  const loaded = await loadedBy('--version')
  assert.ok(loaded.some((url) => url.endsWith('/src/cli/index.ts')))
  assert.deepEqual(
    loaded.filter((url) => url.includes('/src/cli/commands/')),
    [],
  )
})
