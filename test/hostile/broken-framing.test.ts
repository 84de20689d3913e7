import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, startApp } from '../harness.ts'

/** What comes a moment after another, and all that is answered. */
const inParts = async (api: Api, { parts, endsAmid }: { parts: readonly string[]; endsAmid: boolean }) => {
  const { port, hostname } = new URL(api.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.on('error', () => undefined)
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  for (const part of parts) {
    socket.write(part)
    await sleep(30)
  }
  // Whoever ends its half before the answer gets none.
  while (!endsAmid && !socket.closed && !/HTTP\/1\.1 [2-5]/.test(received)) await sleep(20)
  socket.end()
  if (!socket.closed) await once(socket, 'close')
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

const chunked = 'Transfer-Encoding: chunked\r\n'
const awaits = 'Expect: 100-continue\r\n'
const mebibyte = `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`

interface Case {
  readonly fields: string
  readonly body: readonly string[]
  readonly statuses: readonly number[]
  readonly endsAmid?: boolean
}

const refused: Readonly<Record<string, Case>> = {
  'a broken chunk': { fields: chunked, body: ['zz\r\n'], statuses: [400] },
  'a broken chunk later': { fields: chunked, body: ['', 'zz\r\n'], statuses: [400] },
  'a broken chunk behind a right one': { fields: chunked, body: ['1\r\nx\r\n', 'zz\r\n'], statuses: [400] },
  'a broken chunk after our word': { fields: awaits + chunked, body: ['', 'zz\r\n'], statuses: [100, 400] },
  'more than is taken off': { fields: chunked, body: [mebibyte, '1\r\nx\r\n'], statuses: [413] },
  'more than is taken off, as it says': {
    fields: 'Content-Length: 1048577\r\n',
    body: [''],
    statuses: [413],
  },
  'an end amid the body': {
    fields: 'Content-Length: 9\r\n',
    body: ['x'],
    statuses: [400],
    endsAmid: true,
  },
}

const performed: Readonly<Record<string, Case>> = {
  'a body at once': { fields: chunked, body: ['1\r\nx\r\n0\r\n\r\n'], statuses: [204] },
  'a body later': { fields: chunked, body: ['', '1\r\nx\r\n', '0\r\n\r\n'], statuses: [204] },
  'a body after our word': {
    fields: `${awaits}Content-Length: 1\r\n`,
    body: ['', 'x'],
    statuses: [100, 204],
  },
}

const deletes = async (api: Api, { fields, body, endsAmid = false }: Case) => {
  const [first = '', ...others] = body
  const { todoId } = (await api('POST /todos', { todoTitle: 'kept' })).body as { todoId: string }
  const head = `DELETE /api/v1/todos/${todoId} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`
  const statuses = await inParts(api, { parts: [head + first, ...others], endsAmid })
  return { statuses, isThere: (await api(`GET /todos/${todoId}`)).status === 200 }
}

test('a change whose body nobody wants is not performed before all of that was right', async (t) => {
  const api = await startApp(t)
  for (const [what, asked] of Object.entries(refused))
    assert.deepEqual(await deletes(api, asked), { statuses: asked.statuses, isThere: true }, what)
  for (const [what, asked] of Object.entries(performed))
    assert.deepEqual(await deletes(api, asked), { statuses: asked.statuses, isThere: false }, what)
})
