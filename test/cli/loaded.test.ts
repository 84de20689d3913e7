import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { foreignAnswer, standIn } from '../client/stand-ins.ts'
import { rollcall } from '../operations/child.ts'
import { projectRoot } from '../program.ts'

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

/** Names of fields and resources may be loaded. */
const heavy =
  /\/src\/(app\.ts|log\.ts|resources\/(?!(?:member\/(?:declaration|labels|schema|sign-id)|machine\/labels)\.ts)|sql\/open\.ts)|\/node_modules\/(ajv|pino)\//

test('a command for a running service loads neither the service nor a database', async (t) => {
  const stranger = await standIn(t, [foreignAnswer(200, '')])
  const loaded = await loadedBy('member', 'list', '--url', stranger.url)
  assert.ok(loaded.some((url) => url.endsWith('/src/client/call.ts')))
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url)),
    [],
  )
})

test('--version names the version and the commit of the clone', async () => {
  const { out } = await rollcall(['--version'])
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  const [, version, short = ''] = /^(\S+) \((\w{12})\)\n$/.exec(out) ?? []
  assert.equal(version, JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version)
  assert.ok(commit.startsWith(short))
})

test('--version loads no command', async () => {
  const loaded = await loadedBy('--version')
  assert.ok(loaded.some((url) => url.endsWith('/src/cli/index.ts')))
  assert.deepEqual(
    loaded.filter((url) => url.includes('/src/cli/commands/')),
    [],
  )
})

test('V8 knows the flag that a start sets', () => {
  const main = readFileSync(join(projectRoot, 'src/main.js'), 'utf8')
  const [, flag] = /setFlagsFromString\('--no-([a-z-]+)'\)/.exec(main) ?? []
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  assert.match(known, new RegExp(`--${flag} `))
})
