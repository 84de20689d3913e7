import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { needsBalancer, openBalancer } from '../faults/balancer.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'

for (const program of ['nginx', 'haproxy'] as const) {
  test(`${program} as configured passes on the longest head`, {
    skip: needsBalancer(program)(),
  }, async (t) => {
    const api = await startApp(t)
    for (let count = 0; count < 3; count++) await api('POST /todos', { todoTitle: 'a' })
    const [port, managementPort] = [api.url, api.management].map((url) => Number(new URL(url).port))
    assert.ok(port && managementPort)
    const balancer = await openBalancer(program, freshFolder(), [{ port, managementPort }])
    t.after(() => balancer.close())
    const path = '/api/v1/todos?size=1&page=1'.padEnd(8_000, '&sort=finished,desc')
    const known = path.slice(0, path.lastIndexOf('&'))
    const outgoing = get(balancer.url + known, { maxHeaderSize: 64 * 1024, agent: false })
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 200)
    assert.ok((answer.headers.link?.length ?? 0) > 32_000)
  })
}
