import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rollcall } from './index.ts'

const database = (t: TestContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return { DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, LOG_LEVEL: 'silent' }
}

test('a start that fails leaves neither the file locked nor anybody listening', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const PORT = String((free.address() as AddressInfo).port)
  await new Promise((closed) => free.close(closed))
  const settings = database(t)
  await assert.rejects(rollcall({ ...settings, PORT, MANAGEMENT_PORT: String(port) }), /MANAGEMENT_PORT/)
  const [refused] = await once(connect(Number(PORT), '127.0.0.1'), 'error')
  assert.equal(refused.code, 'ECONNREFUSED')
  await assert.rejects(rollcall({ ...settings, TLS_CERT: '/none', TLS_KEY: '/none' }), /TLS_CERT/)
  await (await rollcall(settings)).close()
})

test('a stop waits for the requests of both listeners at once', { timeout: 30_000 }, async (t) => {
  const service = await rollcall({ ...database(t), MANAGEMENT_PORT: '0' })
  for (const url of [service.url, service.managementUrl ?? '']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      'POST /api/v1/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n',
    )
    await once(socket, 'connect')
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  const startedAt = performance.now()
  await service.close()
  assert.ok(performance.now() - startedAt < 12_000)
})
