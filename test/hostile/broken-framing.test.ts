import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, startApp } from '../harness.ts'

/** Sends the parts one after another with a pause between them, and returns the statuses of all responses. */
const sendInParts = async (
  api: Api,
  { parts, endsEarly }: { parts: readonly string[]; endsEarly: boolean },
) => {
  const { port, hostname } = new URL(api.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => undefined)
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  const [head = '', ...later] = parts
  socket.write(head)
  while (head.includes(expects) && !received.includes('100 Continue')) await once(socket, 'data')
  for (const part of later) {
    await sleep(30)
    socket.write(part)
  }
  // The service does not answer a client that has ended its side of the connection before the response.
  while (!endsEarly && !socket.closed && !/HTTP\/1\.1 [2-5]/.test(received)) await sleep(20)
  socket.end()
  if (!socket.closed) await once(socket, 'close')
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

const chunked = 'Transfer-Encoding: chunked\r\n'
const expects = 'Expect: 100-continue\r\n'
const mebibyte = `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`

interface Case {
  readonly fields: string
  readonly body: readonly string[]
  readonly statuses: readonly number[]
  readonly endsEarly?: boolean
}

const refused: Readonly<Record<string, Case>> = {
  'a malformed chunk': { fields: chunked, body: ['zz\r\n'], statuses: [400] },
  'a malformed chunk, sent later': { fields: chunked, body: ['', 'zz\r\n'], statuses: [400] },
  'a malformed chunk after a valid one': { fields: chunked, body: ['1\r\nx\r\n', 'zz\r\n'], statuses: [400] },
  'a malformed chunk after 100 Continue': {
    fields: expects + chunked,
    body: ['', 'zz\r\n'],
    statuses: [100, 400],
  },
  'chunks beyond the limit': { fields: chunked, body: [mebibyte, '1\r\nx\r\n'], statuses: [413] },
  'a Content-Length beyond the limit': {
    fields: 'Content-Length: 1048577\r\n',
    body: [''],
    statuses: [413],
  },
  'a stream that ends within the body': {
    fields: 'Content-Length: 9\r\n',
    body: ['x'],
    statuses: [400],
    endsEarly: true,
  },
}

const performed: Readonly<Record<string, Case>> = {
  'a body sent with the head': { fields: chunked, body: ['1\r\nx\r\n0\r\n\r\n'], statuses: [204] },
  'a body sent later': { fields: chunked, body: ['', '1\r\nx\r\n', '0\r\n\r\n'], statuses: [204] },
  'a body after 100 Continue': {
    fields: `${expects}Content-Length: 1\r\n`,
    body: ['', 'x'],
    statuses: [100, 204],
  },
}

const deleteTodo = async (api: Api, { fields, body, endsEarly = false }: Case) => {
  const [first = '', ...later] = body
  const { todoId } = (await api('POST /todos', { todoTitle: 'kept' })).body as { todoId: string }
  const head = `DELETE /api/v1/todos/${todoId} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`
  const statuses = await sendInParts(api, { parts: [head + first, ...later], endsEarly })
  return { statuses, exists: (await api(`GET /todos/${todoId}`)).status === 200 }
}

test('a DELETE takes effect only after its whole body has arrived, well framed and within the limit', async (t) => {
  const api = await startApp(t)
  for (const [name, request] of Object.entries(refused))
    assert.deepEqual(await deleteTodo(api, request), { statuses: request.statuses, exists: true }, name)
  for (const [name, request] of Object.entries(performed))
    assert.deepEqual(await deleteTodo(api, request), { statuses: request.statuses, exists: false }, name)
})
