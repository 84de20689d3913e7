import assert from 'node:assert/strict'
import { Client } from 'undici'

// undici with sixteen requests in flight at once on one connection. A program of its own, since the types of undici
// exist only where the judges are installed.
const client = new Client(process.argv[2], { pipelining: 16 })
let connections = 0
client.on('connect', () => {
  connections++
})

const path = '/api/v1/todos'

const ask = async (at) => {
  const track = `u${at}`
  const isCreation = at % 5 === 0
  const isLost = at % 5 === 1
  const { statusCode, headers, body } = await client.request({
    method: isCreation ? 'POST' : 'GET',
    path: isLost ? `${path}/nobody` : path,
    headers: { 'x-track': track, ...(isCreation ? { 'content-type': 'application/json' } : {}) },
    body: isCreation ? JSON.stringify({ todoTitle: track }) : null,
    idempotent: true,
  })
  const content = await body.json()
  assert.equal(headers['x-track'], track)
  assert.equal(statusCode, isCreation ? 201 : isLost ? 404 : 200)
  if (isCreation) assert.equal(content.todoTitle, track)
}

await Promise.all(Array.from({ length: 400 }, (_, at) => ask(at)))
assert.equal(connections, 1)
await client.close()
