import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { needsBalancer, openBalancer } from './real-balancer.ts'

for (const program of ['nginx', 'haproxy'] as const) {
  test(`${program} as configured passes on the longest head`, {
    skip: needsBalancer(program)(),
  }, async (t) => {
    const api = await startApp(t)
    const firstName = '𠮷'.repeat(128)
    for (let count = 0; count < 3; count++) {
      const credential = { ...john.credential, signId: `john${count}` }
      await api('POST /members', { ...john, firstName, credential })
    }
    const [port, managementPort] = [api.url, api.management].map((url) => Number(new URL(url).port))
    assert.ok(port && managementPort)
    const balancer = await openBalancer(program, freshFolder(), [{ port, managementPort }])
    t.after(() => balancer.close())
    const query = new URLSearchParams({ name: firstName, size: '1', page: '1' })
    const outgoing = get(`${balancer.url}/api/v1/members?${query}`, {
      maxHeaderSize: 64 * 1024,
      agent: false,
    })
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    answer.resume()
    assert.equal(answer.statusCode, 200)
    assert.ok((answer.headers.link?.length ?? 0) > 4 * String(query).length)
  })
}
