import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { expectErrorShape, service, shortCode } from '../scenarios/table.ts'
import { firstAnswer } from '../scenarios/wire.ts'

const isAsked = Boolean(process.env.CI ?? process.env.SLOW)
const skip = isAsked ? false : 'takes 40 seconds of waiting: SLOW=1 runs it, and CI'
const app = service()

/** Sends a beginning, then one byte at a time until the other side closes the connection. */
const dribble = (beginning: string, pauseMs: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(app().url).port), '127.0.0.1')
    let received = ''
    socket.write(beginning)
    const timer = setInterval(() => socket.write('x'), pauseMs)
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(received)
    })
  })

const expectTimeout = (text: string): void => {
  const answer = firstAnswer(text)
  assert.equal(answer.status, 408, text.slice(0, 300))
  assert.match(answer.headers['x-track'] ?? '', /^[0-9a-f]{32}$/)
  const error: unknown = JSON.parse(answer.text)
  expectErrorShape(error)
  assert.equal((error as { code: string }).code, shortCode('6007'))
}

const head = 'POST /api/v1/todos HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test('a slow request gets 408: after 10 s for its headers, after 30 s for its body', {
  skip,
  timeout: 120_000,
}, async () => {
  const startedAtMs = Date.now()
  const many = Array.from({ length: 50 }, () => dribble(`${head}X-Slow: `, 700))
  const headers = dribble(`${head}X-Slow: `, 300).then((text) => ({
    text,
    afterMs: Date.now() - startedAtMs,
  }))
  const body = dribble(`${head}Content-Length: 1000000\r\n\r\n`, 300).then((text) => ({
    text,
    afterMs: Date.now() - startedAtMs,
  }))
  assert.equal((await app()('GET /todos')).status, 200, 'other requests are served meanwhile')
  const slowHeaders = await headers
  expectTimeout(slowHeaders.text)
  assert.ok(slowHeaders.afterMs > 9000, `${slowHeaders.afterMs} ms`)
  const slowBody = await body
  expectTimeout(slowBody.text)
  assert.ok(slowBody.afterMs > 29_000, `${slowBody.afterMs} ms`)
  for (const text of await Promise.all(many)) expectTimeout(text)
  assert.equal((await app()('GET /todos')).status, 200)
})
