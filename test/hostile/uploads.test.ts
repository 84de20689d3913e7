import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Api, rawExchange, startApp } from '../harness.ts'

const head = [
  'POST /api/v1/todos/imports HTTP/1.1',
  'Host: localhost',
  'Content-Type: text/csv',
  'Transfer-Encoding: chunked',
  '\r\n',
].join('\r\n')

test('uploads in chunks of one byte are stored whole', async (t) => {
  const api = await startApp(t)
  const text = `todoTitle\n${`${'x'.repeat(900)}\n`.repeat(300)}`
  const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join('')
  const uploads = [1, 2, 3].map(() =>
    rawExchange(api.url, `${head}${chunks}0\r\n\r\n`, { enough: /"importId":"[\w-]+"/ }),
  )
  for (const answer of await Promise.all(uploads)) {
    const importId = /"importId":"([\w-]+)"/.exec(answer)?.[1]
    for (;;) {
      const { body } = await api(`GET /imports/${importId}`)
      const { state, counts } = body as { state: string; counts: { rows: number } }
      if (state === 'reading') continue
      assert.deepEqual([state, counts.rows], ['ready', 300])
      break
    }
  }
})

/** An upload whose client sends nothing after a first chunk. */
const stalledUpload = ({ url }: Api): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  return new Promise((resolve) => socket.write(`${head}1\r\na\r\n`, () => resolve(socket)))
}

test('the memory of uploads is limited: beyond about 128 at a time they get 503, until some of them end', async (t) => {
  const api = await startApp(t)
  const sockets = await Promise.all(Array.from({ length: 140 }, () => stalledUpload(api)))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const upload = () => api('POST /todos/imports', 'todoTitle\nx\n', { 'Content-Type': 'text/csv' })
  while ((await upload()).status !== 503);
  assert.equal((await api('POST /todos', { todoTitle: 'x' })).status, 201)
  for (const socket of sockets.splice(0)) socket.destroy()
  while ((await upload()).status !== 201);
})
