import assert from 'node:assert/strict'
import { once } from 'node:events'
import { renameSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, type SecureVersion } from 'node:tls'
import { openApp } from '#src/app.ts'
import { type Diagnosis, judgeCertificate } from '#src/cli/commands/doctor.ts'
import { readConfig, SettingError } from '#src/config.ts'
import { certificate, ellipticKey, noOpenssl } from '../certificate.ts'
import { rollcall } from '../cli/warm.ts'
import { quiet, rawExchange } from '../harness.ts'
import { openSocket, startListener, until } from '../listener.ts'

/** Writes the files under the same names, as a renewal does. */
const renew = (old: Certificate, fresh: Certificate) => {
  for (const name of ['TLS_KEY', 'TLS_CERT'] as const) renameSync(fresh[name], old[name])
}
type Certificate = ReturnType<typeof certificate>

const base = { PORT: '0', MANAGEMENT_PORT: '0', DATABASE_URL: 'sqlite::memory:' }
const start = async (t: TestContext, settings: Record<string, string>) => {
  const app = await openApp(readConfig({ ...base, ...settings }), quiet)
  t.after(() => app.close())
  return app
}

const textOf = async (socket: Socket) => (await socket.setEncoding('latin1').toArray()).join('')

const fetched = (url: string) =>
  new Promise<{ status: number | undefined; headers: Readonly<Record<string, unknown>>; body: string }>(
    (resolve, reject) => {
      const answered = async (answer: IncomingMessage) =>
        resolve({ status: answer.statusCode, headers: answer.headers, body: await text(answer) })
      get(url, { rejectUnauthorized: false }, answered).on('error', reject)
    },
  )

/** The protocol that a handshake ends with; null if it fails. */
const protocol = (url: string, options: ConnectionOptions) =>
  new Promise<string | null>((resolve) => {
    const given = { port: Number(new URL(url).port), rejectUnauthorized: false, ...options }
    const socket = connect(given, () => {
      resolve(socket.getProtocol())
      socket.destroy()
    })
    socket.on('error', () => resolve(null))
  })

const version = (url: string, maxVersion: SecureVersion) =>
  protocol(url, { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' })

test('both listeners speak TLS 1.2 and 1.3, and nothing older', { skip: noOpenssl }, async (t) => {
  const app = await start(t, certificate())
  for (const url of [app.url, app.managementUrl ?? '']) {
    assert.match(url, /^https:/)
    assert.equal(await version(url, 'TLSv1.3'), 'TLSv1.3')
    assert.equal(await version(url, 'TLSv1.2'), 'TLSv1.2')
    assert.equal(await version(url, 'TLSv1.1'), null)
  }
  const answer = await fetched(`${app.url}/api/v1/todos`)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
})

const accepts = async (url: string, ciphers: string) =>
  (await protocol(url, { ciphers: `${ciphers}:@SECLEVEL=0`, maxVersion: 'TLSv1.2' })) !== null

test('TLS 1.2 accepts only cipher suites with forward secrecy and authenticated encryption', {
  skip: noOpenssl,
}, async (t) => {
  const app = await start(t, certificate('localhost', ['-newkey', 'rsa:2048']))
  for (const cipher of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384'])
    assert.equal(await accepts(app.url, cipher), true, cipher)
  for (const cipher of ['AES128-SHA', 'AES256-GCM-SHA384', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384'])
    assert.equal(await accepts(app.url, cipher), false, cipher)
})

test('a connection that never starts the TLS handshake is cut off', {
  skip: noOpenssl,
  timeout: 60_000,
}, async (t) => {
  const { TLS_CERT, TLS_KEY } = certificate()
  const tls = { cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) }
  const server = await startListener(t, { tls, limits: { handshakeTimeout: 100 } })
  const accepted = once(server, 'connection')
  const silent = await openSocket(t, server)
  silent.resume()
  await accepted
  const held = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await until(t, async () => (await held()) === 0)
})

test('a client that sends 3 MB before it reads gets 413 over TLS too', {
  skip: noOpenssl,
  timeout: 60_000,
}, async (t) => {
  const app = await start(t, certificate())
  const socket = connect({ port: Number(new URL(app.url).port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.write(
    'POST /api/v1/todos HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  for (let count = 0; count < 48; count++)
    if (!socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)) await once(socket, 'drain')
  assert.match(await textOf(socket), /^HTTP\/1\.1 413 /)
})

test('a client that has closed its half of the connection is answered over TLS too', {
  skip: noOpenssl,
  timeout: 60_000,
}, async (t) => {
  const app = await start(t, certificate())
  const halfOpen = { port: Number(new URL(app.url).port), rejectUnauthorized: false, allowHalfOpen: true }
  const socket = connect(halfOpen)
  await once(socket, 'secureConnect')
  socket.end('GET /api/v1/todos HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2))
  const received = await textOf(socket)
  assert.equal(received.split('HTTP/1.1 200').length, 3, received)
})

test('a client that closes before the TLS handshake is disconnected at once', {
  skip: noOpenssl,
  // A handshake that does not begin is cut off after ten seconds.
  timeout: 9_000,
}, async (t) => {
  const app = await start(t, certificate())
  const socket = connectPlain({ port: Number(new URL(app.url).port), allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.resume().end()
  await once(socket, 'end')
})

test('bytes that are not TLS get no HTTP answer, and the service keeps running', {
  skip: noOpenssl,
}, async (t) => {
  const app = await start(t, certificate())
  const plain = app.url.replace('https', 'http')
  for (const bytes of ['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\x16\x03\x01\x00\x05hello', '\0\0\0']) {
    assert.doesNotMatch(await rawExchange(plain, bytes, { timeoutMs: 500 }), /HTTP\/1.1/)
  }
  assert.equal((await fetched(`${app.url}/api/v1/todos`)).status, 200)
})

test('a renewed certificate takes effect without a restart', { skip: noOpenssl }, async (t) => {
  const first = certificate('first')
  const app = await start(t, first)
  const name = () =>
    new Promise<unknown>((resolve) => {
      const socket = connect({ port: Number(new URL(app.url).port), rejectUnauthorized: false }, () => {
        resolve(socket.getPeerCertificate().subject.CN)
        socket.destroy()
      })
    })
  assert.equal(await name(), 'first')
  renew(first, certificate('second'))
  await app.reload('info')
  assert.equal(await name(), 'second')
})

test('metrics show when the current certificate expires, and doctor checks the days left', {
  skip: noOpenssl,
}, async (t) => {
  const first = certificate('first')
  const app = await start(t, first)
  const daysLeft = async () => {
    const { body } = await fetched(`${app.managementUrl}/metrics`)
    const [, end] = /^rollcall_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(body) ?? []
    return Math.round((Number(end) - Date.now() / 1_000) / 86_400)
  }
  assert.equal(await daysLeft(), 1)
  renew(first, certificate('second', ellipticKey, 90))
  await app.reload('info')
  assert.equal(await daysLeft(), 90)

  const environment = { ...base, ...certificate('localhost', ellipticKey, 7) }
  const { code, out } = await rollcall(['doctor', '--json'], { environment })
  const found = (JSON.parse(out) as Diagnosis[]).find(({ check }) => check === 'certificate')
  assert.deepEqual([code, found?.verdict], [0, 'look'])
  const now = Date.UTC(2026, 10, 25)
  for (const [days, verdict] of [
    [15, 'good'],
    [13, 'look'],
    [-1, 'bad'],
  ] as const)
    assert.equal(judgeCertificate(new Date(now + days * 86_400_000), now).verdict, verdict)
})

test('a wrong certificate or key fails the start with a message that names the setting', {
  skip: noOpenssl,
}, async () => {
  const good = certificate()
  const broken = `${good.TLS_CERT}.broken`
  await writeFile(broken, 'no certificate')
  assert.throws(
    () => readConfig({ ...base, TLS_CERT: good.TLS_CERT }),
    /TLS_CERT and TLS_KEY belong together/,
  )
  for (const [settings, sentence] of [
    [{ ...good, TLS_KEY: `${good.TLS_KEY}.none` }, /TLS_KEY cannot be read/],
    [{ ...good, TLS_CERT: broken }, /TLS_CERT and TLS_KEY are not a certificate and its key/],
    [{ ...good, TLS_KEY: certificate().TLS_KEY }, /TLS_CERT and TLS_KEY are not a certificate and its key/],
  ] as const) {
    await assert.rejects(openApp(readConfig({ ...base, ...settings }), quiet), (error) => {
      assert.ok(error instanceof SettingError)
      assert.match(error.message, sentence)
      return true
    })
  }
})
