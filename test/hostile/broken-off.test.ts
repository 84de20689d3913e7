import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Api, startApp } from '../harness.ts'

/** A socket that stays open after the other side has ended. */
const openSocket = (api: Api) =>
  new Promise<Socket>((resolve) => {
    const { port, hostname } = new URL(api.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => resolve(socket))
    socket.on('error', () => undefined)
  })

/** Sends bytes, then resets the connection, so that the other side gets an error. */
const sendAndReset = async (api: Api, bytes: string) => {
  const socket = await openSocket(api)
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  socket.resetAndDestroy()
}

const head = 'Host: x\r\nContent-Type: application/json\r\n'

const beginnings: Readonly<Record<string, string>> = {
  CONNECT: 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  'CONNECT followed by data': `CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(50_000)}`,
  'CONNECT behind a POST': `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Length: 17\r\n\r\n{"todoTitle":"a"}CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
  'an upgrade': 'GET /api/v1/todos HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'half a head': 'GET /api/v1/todos HTTP/1.1\r\nHos',
  'half a body': `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"todo`,
  'half a chunk': `POST /api/v1/todos HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n64\r\n{"todo`,
  'half a compressed body': `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\x1f\x8b`,
  'a request that waits for 100 Continue': `POST /api/v1/todos HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  'an unknown expectation': `POST /api/v1/todos HTTP/1.1\r\n${head}Expect: wonders\r\nContent-Length: 9\r\n\r\n`,
  'many pipelined requests': 'GET /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200),
  'malformed HTTP': 'GET /api/v1/todos HTTP/1.1\r\nHost : x\r\n\r\n',
  'an unknown method': 'BREW /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n',
}

test('a connection reset at any point harms no other request and logs no error', async (t) => {
  const api = await startApp(t)
  for (const beginning of Object.values(beginnings))
    for (let times = 0; times < 20; times++) await sendAndReset(api, beginning)
  assert.equal((await api('GET /todos')).status, 200)
  const errors = api.log.filter(({ level, status }) => level === 'error' || status === 500)
  assert.deepEqual(errors, [])
})

test('CONNECT gets 405, and a client that keeps sending is disconnected', { timeout: 60_000 }, async (t) => {
  const api = await startApp(t)
  const socket = await openSocket(api)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  socket.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 50)
  await closed
  clearInterval(drip)
  assert.match(received, /^HTTP\/1\.1 405 /)
})
