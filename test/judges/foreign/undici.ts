import assert from 'node:assert/strict'
import { Client } from 'undici'

/** undici with sixteen requests on the way at once, on one connection. */
export const undici = async (url: string): Promise<void> => {
  const client = new Client(url, { pipelining: 16 })
  let connections = 0
  client.on('connect', () => {
    connections++
  })
  const json = { 'content-type': 'application/json' }
  const path = '/api/v1/todos'
  try {
    const tracks = Array.from({ length: 400 }, (_, at) => `u${at}`)
    await Promise.all(
      tracks.map(async (track, at) => {
        const isCreation = at % 5 === 0
        const { statusCode, headers, body } = await client.request({
          method: isCreation ? 'POST' : 'GET',
          path: at % 5 === 1 ? `${path}/nobody` : path,
          headers: { 'x-track': track, ...(isCreation ? json : {}) },
          body: isCreation ? JSON.stringify({ todoTitle: track }) : null,
          idempotent: true,
        })
        const told = (await body.json()) as { readonly todoTitle?: string }
        assert.equal(headers['x-track'], track)
        assert.equal(statusCode, isCreation ? 201 : at % 5 === 1 ? 404 : 200)
        if (isCreation) assert.equal(told.todoTitle, track)
      }),
    )
    assert.equal(connections, 1)
  } finally {
    await client.close()
  }
}
