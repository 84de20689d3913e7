import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Api, startApp } from '../harness.ts'

/** It stays open when the other side says that it has ended. */
const opened = (api: Api) =>
  new Promise<Socket>((resolve) => {
    const { port, hostname } = new URL(api.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => resolve(socket))
    socket.on('error', () => undefined)
  })

/** Sends bytes and breaks the connection so that the other side is told of it by an error. */
const breakOff = async (api: Api, bytes: string) => {
  const socket = await opened(api)
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
  socket.resetAndDestroy()
}

const head = 'Host: x\r\nContent-Type: application/json\r\n'

const beginnings: Readonly<Record<string, string>> = {
  'a tunnel': 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n',
  'a tunnel with bytes in it': `CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n${'x'.repeat(50_000)}`,
  'an upgrade': 'GET /api/v1/todos HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'half a head': 'GET /api/v1/todos HTTP/1.1\r\nHos',
  'half a body': `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Length: 100\r\n\r\n{"todo`,
  'half a chunk': `POST /api/v1/todos HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n64\r\n{"todo`,
  'half a compressed body': `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\x1f\x8b`,
  'a word that is waited for': `POST /api/v1/todos HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  'an expectation': `POST /api/v1/todos HTTP/1.1\r\n${head}Expect: wonders\r\nContent-Length: 9\r\n\r\n`,
  'many requests at once': 'GET /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200),
  'broken HTTP': 'GET /api/v1/todos HTTP/1.1\r\nHost : x\r\n\r\n',
  'a method that is none': 'BREW /api/v1/todos HTTP/1.1\r\nHost: x\r\n\r\n',
}

test('whoever breaks off, wherever, ends nothing but the own request, and is no error of ours', async (t) => {
  const api = await startApp(t)
  for (const beginning of Object.values(beginnings))
    for (let times = 0; times < 20; times++) await breakOff(api, beginning)
  assert.equal((await api('GET /todos')).status, 200)
  const errors = api.log.filter(({ level, status }) => level === 'error' || status === 500)
  assert.deepEqual(errors, [])
})

test('a tunnel is refused, and who then stays is sent away', { timeout: 20_000 }, async (t) => {
  const api = await startApp(t)
  const socket = await opened(api)
  const gone = new Promise((resolve) => socket.once('close', resolve))
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  socket.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 50)
  await gone
  clearInterval(drip)
  assert.match(received, /^HTTP\/1\.1 405 /)
})

test('whoever asks for a tunnel behind a request that takes its time, and breaks off, ends nothing', async (t) => {
  const api = await startApp(t)
  for (let times = 0; times < 20; times++) {
    const body = JSON.stringify({ todoTitle: `behind ${times}` })
    const slow = `POST /api/v1/todos HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`
    await breakOff(api, `${slow}${beginnings['a tunnel']}`)
  }
  assert.equal((await api('GET /todos')).status, 200)
})
