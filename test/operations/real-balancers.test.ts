import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { asRoot, basic, root } from '../access/callers.ts'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { withoutProgram } from '../needed.ts'
import { john } from '../people.ts'
import { type ServiceProcess, serve, type Variables } from './child.ts'
import { openBalancer } from './real-balancer.ts'

/** A loopback address other than that of the proxy. */
const caller = '127.0.0.2'
const proxy = { ACCESS: 'open', TRUST_PROXY: '127.0.0.1' }

const openInstance = async (t: TestContext, settings: Variables = {}) => {
  const [port, managementPort] = [await freePort(), await freePort()]
  const places = { PORT: String(port), MANAGEMENT_PORT: String(managementPort) }
  const environment = { DATABASE_URL: `sqlite:${join(freshFolder(), 'r.db')}`, ...places, ...settings }
  let service: ServiceProcess | undefined
  const start = async () => {
    service = await serve(t, { environment })
  }
  const kill = async () => {
    service?.kill('SIGKILL')
    await service?.exit
  }
  await start()
  return { port, managementPort, start, kill }
}

const add = (url: string, headers: Record<string, string> = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const fields = { 'content-type': 'application/json', ...headers }
    const options = { method: 'POST', headers: fields, localAddress: caller, agent: false }
    const outgoing = request(`${url}/api/v1/todos`, options, (answer) => resolve(answer.resume()))
    outgoing.on('error', reject)
    outgoing.end('{"todoTitle":"roll"}')
  })

for (const program of ['haproxy', 'nginx'] as const) {
  const skip = withoutProgram(program, '-v')

  test(`the configuration of ${program} overwrites the forwarding headers that a caller sends`, {
    skip,
  }, async (t) => {
    const login = { ADMIN_SIGN_ID: root.signId, ADMIN_PASSWORD: root.password }
    const instance = await openInstance(t, { ...proxy, ACCESS: 'basic', ...login })
    const { url, close } = await openBalancer(program, freshFolder(), [instance])
    t.after(close)
    const forged = { 'x-forwarded-host': 'elsewhere.example', 'x-forwarded-proto': 'https' }
    const { location = '' } = (await add(url, { ...asRoot, ...forged })).headers
    assert.ok(location.startsWith(`${url}/`), location)
    const statuses: (number | undefined)[] = []
    for (let n = 0; n < 14; n++) {
      const wrong = { ...basic('victim', `wrong ${n}`), 'x-forwarded-for': `10.3.${n}.7` }
      statuses.push((await add(url, wrong)).statusCode)
    }
    assert.deepEqual([...new Set(statuses)], [401, 429])
  })

  test(`the configuration of ${program} passes on the longest headers`, { skip }, async (t) => {
    const api = await startApp(t)
    const firstName = '𠮷'.repeat(128)
    for (let count = 0; count < 3; count++) {
      const credential = { ...john.credential, signId: `john${count}` }
      await api('POST /members', { ...john, firstName, credential })
    }
    const [port = 0, managementPort = 0] = [api.url, api.management].map((url) => Number(new URL(url).port))
    const { url, close } = await openBalancer(program, freshFolder(), [{ port, managementPort }])
    t.after(close)
    const query = new URLSearchParams({ name: firstName, size: '1', page: '1' })
    const outgoing = get(`${url}/api/v1/members?${query}`, { maxHeaderSize: 64 * 1024, agent: false })
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 200)
    assert.ok((answer.headers.link?.length ?? 0) > 4 * String(query).length)
  })
}

test('the nginx of the composition uses a restarted instance when the other one stops', {
  skip: withoutProgram('nginx', '-v'),
}, async (t) => {
  const [one, other] = [await openInstance(t), await openInstance(t)]
  const { url, close } = await openBalancer('nginx', freshFolder(), [one, other])
  t.after(close)
  for (const [instance, next] of [
    [one, other],
    [other, one],
  ] as const) {
    await instance.kill()
    for (let n = 0; n < 8; n++) assert.equal((await add(url)).statusCode, 201)
    await instance.start()
    await next.kill()
    for (let n = 0; n < 8; n++) assert.equal((await add(url)).statusCode, 201)
    await next.start()
  }
})
