import assert from 'node:assert/strict'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../fresh-folder.ts'
import { sendWithoutBody, serve, untilStopping, type Variables } from './child.ts'

/** Starts a service that logs to a file. */
const serveLogging = async (t: TestContext, environment: Variables = {}) => {
  const folder = freshFolder()
  const file = join(folder, 'log')
  const service = await serve(t, {
    environment: { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, ...environment },
    log: openSync(file, 'w'),
  })
  const lines = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  return { service, lines }
}

const body = '{"todoTitle":"late"}'

test('two signals at once, as npm sends at Ctrl-C, count as one, so a pending request is answered', async (t) => {
  const { service } = await serveLogging(t)
  const finish = await sendWithoutBody(service, body)
  // Two equal signals may arrive as one.
  service.kill('SIGINT')
  service.kill('SIGTERM')
  await sleep(100)
  assert.match(await finish(), /^HTTP\/1.1 201 /)
  assert.deepEqual(await service.exit, { code: 0, signal: null })
})

test('a second signal ends the service at once, and the request answered just before is logged', async (t) => {
  const { service, lines } = await serveLogging(t)
  // The first request keeps the service from ending by itself, however slow the machine is.
  await sendWithoutBody(service, body)
  const finish = await sendWithoutBody(service, body)
  service.kill('SIGTERM')
  await untilStopping(service)
  // A signal sent sooner would count as the same one.
  await sleep(400)
  const [, track = 'none'] = /^x-track: (\S+)/im.exec(await finish()) ?? []
  service.kill('SIGTERM')
  assert.deepEqual(await service.exit, { code: 0, signal: null })
  const tracks = lines().map(({ track }) => track)
  assert.ok(tracks.includes(track), `${tracks}`)
  assert.ok(!lines().some(({ msg }) => msg === 'ended'), 'the service waited for the drain')
})

test('an uncaught exception exits with 1, and is logged after the requests before it', async (t) => {
  const planted = "process.on('SIGUSR2', () => { throw new Error('planted') })"
  const { service, lines } = await serveLogging(t, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}`,
  })
  const answered = await fetch(`${service.url}/api/v1/todos`)
  await answered.text()
  service.kill('SIGUSR2')
  assert.deepEqual(await service.exit, { code: 1, signal: null })
  const [request, crash] = lines().slice(-2)
  assert.equal(request?.track, answered.headers.get('x-track'))
  assert.deepEqual([crash?.level, crash?.msg], ['fatal', 'crashed'])
  assert.match(JSON.stringify(crash?.err), /"stack":"Error: planted\\n +at /)
  assert.match(service.err(), /rollcall: Error: planted\n +at /)
})

test('an uncaught problem is reported with its message', async (t) => {
  const at = new URL('../../src/core/problem.ts', import.meta.url)
  const planted = `import { Problem } from '${at}'
    process.on('SIGUSR2', () => { throw new Problem('storageUnavailable', { cause: new Error('planted') }) })`
  const { service } = await serveLogging(t, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}`,
  })
  service.kill('SIGUSR2')
  assert.deepEqual(await service.exit, { code: 1, signal: null })
  assert.match(service.err(), /rollcall: The storage is unavailable: planted\.\n/)
})
