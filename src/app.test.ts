import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { rootCauseOf } from '#core/cause.ts'
import { freePort } from '#test/free-port.ts'
import { freshFolder } from '#test/fresh-folder.ts'
import { openApp } from './app.ts'
import { readConfig } from './config.ts'
import { DataUnusable, rollcall, SettingError } from './index.ts'

const database = () => ({ DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}`, LOG_LEVEL: 'silent' })

test('a failing start releases the database file and its ports', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const PORT = String(await freePort())
  const settings = database()
  await assert.rejects(rollcall({ ...settings, PORT, MANAGEMENT_PORT: String(port) }), /MANAGEMENT_PORT/)
  const [refused] = await once(connect(Number(PORT), '127.0.0.1'), 'error')
  assert.equal(refused.code, 'ECONNREFUSED')
  await assert.rejects(rollcall({ ...settings, TLS_CERT: '/none', TLS_KEY: '/none' }), {
    message: 'TLS_CERT cannot be read: there is no file /none.',
  })
  const url = 'postgres://me@127.0.0.1:1/data?sslmode=verify-full&sslrootcert=/none'
  await assert.rejects(rollcall({ ...settings, DATABASE_URL: url }), {
    name: 'SettingError',
    message: 'The sslrootcert of the database cannot be read: there is no file /none.',
  })
  await (await rollcall(settings)).close()
})

test('a failing start stops all its timers', async (t) => {
  const begun = t.mock.method(globalThis, 'setInterval')
  const stopped = t.mock.method(globalThis, 'clearInterval')
  const config = readConfig({ ...database(), ACCESS: 'basic', PORT: '0', MANAGEMENT_PORT: 'off' })
  const onAdministratorCreated = () => assert.fail('it cannot be shown')
  await assert.rejects(openApp(config, { onAdministratorCreated }), {
    message: 'it cannot be shown',
  })
  const ended = stopped.mock.calls.map(({ arguments: [timer] }) => timer)
  assert.ok(begun.mock.callCount() > 0)
  assert.deepEqual(
    begun.mock.calls.filter(({ result }) => !ended.includes(result)).map(({ arguments: [work] }) => work),
    [],
  )
})

test('an embedding program may not pass an unknown setting', async () => {
  for (const [name, message] of [
    ['PRT', 'There is no setting PRT in a program. Is PORT meant?'],
    ['port', 'There is no setting port in a program. Is PORT meant?'],
    ['PATH', 'There is no setting PATH in a program.'],
    ['SETTINGS_FILE', 'SETTINGS_FILE cannot be set in a program.'],
  ] as const)
    await assert.rejects(rollcall({ ...database(), [name]: '1' }), { message })
})

test('an embedding program that passes a module instead of a resource gets a message with the right form', async () => {
  const resources = [{ loan: {} }] as never
  await assert.rejects(rollcall({ ...database(), resources }), {
    message: '`resources` must list what `resource({ … })` and `extend(…)` returned: `[loan]`.',
  })
})

test('an embedding program may pass undefined for a setting', async () => {
  await using service = await rollcall({ ...database(), PORT: undefined, MANAGEMENT_PORT: undefined })
  assert.equal(service.managementUrl, undefined)
  assert.notEqual(new URL(service.url).port, '8080')
})

test('disposing of the service closes everything', async () => {
  const settings = database()
  let url: string
  {
    await using service = await rollcall(settings)
    url = service.url
  }
  await assert.rejects(fetch(url), (error) => /ECONNREFUSED/.test(rootCauseOf(error)))
  await (await rollcall(settings)).close()
})

test('a failing start throws an error with a recognisable kind and its cause', async (t) => {
  const settings = database()
  const service = await rollcall(settings)
  t.after(service.close)
  await assert.rejects(
    rollcall(settings),
    (error) => error instanceof DataUnusable && error.reason === 'locked',
  )
  const { port } = new URL(service.url)
  await assert.rejects(rollcall({ ...database(), PORT: port }), (error) => {
    assert.ok(error instanceof SettingError)
    const { name, cause } = error
    assert.deepEqual([name, (cause as NodeJS.ErrnoException).code], ['SettingError', 'EADDRINUSE'])
    return true
  })
})

test('a program that embeds the service gets the password of the created administrator, but only at the first start', async (t) => {
  const settings = { ...database(), ACCESS: 'basic' } as const
  const first = await rollcall(settings)
  t.after(first.close)
  const { signId, password } = first.administrator ?? assert.fail('none is told')
  const headers = { Authorization: `Basic ${btoa(`${signId}:${password}`)}` }
  assert.equal((await fetch(`${first.url}/api/v1/members`, { headers })).status, 200)
  await first.close()
  const second = await rollcall(settings)
  t.after(second.close)
  assert.equal(second.administrator, undefined)
})
