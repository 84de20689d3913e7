import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { type Client, openClient } from './client.ts'
import type { Peer } from './peers.ts'
import { type Place, startServer } from './server.ts'
import { createdStatuses } from './workloads.ts'

const path = '/api/v1/todos'
const title = 'パンと牛乳'

/** More writes than fit into any log here without a checkpoint. */
const manyWrites = 5_000
const maxLogBytes = 80 * 1024 * 1024

/** What a measured service must do: answer correctly, refuse, checkpoint its log, and still have its data after a kill. */
export const smoke = async (peer: Peer, place: Place) => {
  if (peer.fixed) return
  const first = await startServer(peer, place)
  const client = openClient(first.origin, peer)
  try {
    const id = await answersCorrectly(client)
    if (!peer.unsupported?.includes('invalid')) await refuses(client)
    await checkpointsItsLog(client, `${place.database}-wal`)
    await first.kill()
    await keepsData(peer, place, id)
  } catch (cause) {
    throw new Error(`${peer.name} does not do what is measured`, { cause })
  } finally {
    client.close()
    await first.kill()
  }
}

const answersCorrectly = async (client: Client) => {
  const created = await client.request('POST', path, { todoTitle: title })
  assert.ok(createdStatuses.includes(created.status))
  const todo = JSON.parse(created.body)
  assert.equal(todo.todoTitle, title)
  assert.equal(todo.finished, false)
  assert.ok(!Number.isNaN(Date.parse(todo.createdAt)), 'createdAt is a timestamp')
  const one = `${path}/${todo.todoId}`
  assert.deepEqual(await read(client, one), todo)
  const finished = await client.request('PUT', one)
  assert.equal(finished.status, 200)
  assert.equal(JSON.parse(finished.body).finished, true)
  assert.equal((await read(client, one)).finished, true)
  assert.deepEqual((await read(client, path)).at(-1), await read(client, one))
  return todo.todoId as string
}

const refuses = async (client: Client) => {
  for (const todoTitle of ['', 'x'.repeat(31), null]) {
    const { status } = await client.request('POST', path, { todoTitle })
    assert.ok([400, 422].includes(status), `${JSON.stringify(todoTitle)} as a title: ${status}`)
  }
  const unknown = `${path}/00000000-0000-7000-8000-000000000000`
  assert.equal((await client.request('GET', unknown)).status, 404)
  assert.equal((await client.request('PUT', unknown)).status, 404)
}

/** A WAL that SQLite never checkpoints makes commits slow and finally fills the disk. */
const checkpointsItsLog = async (client: Client, log: string) => {
  if (!existsSync(log)) return
  for (let write = 0; write < manyWrites; write++)
    assert.ok(createdStatuses.includes((await client.request('POST', path, { todoTitle: title })).status))
  const { size } = statSync(log)
  assert.ok(size <= maxLogBytes, `its log has ${size} bytes after ${manyWrites} writes`)
}

const keepsData = async (peer: Peer, place: Place, id: string) => {
  const again = await startServer(peer, place)
  const client = openClient(again.origin, peer)
  try {
    assert.equal((await read(client, `${path}/${id}`)).finished, true)
    assert.equal((await client.request('DELETE', `${path}/${id}`)).status < 300, true)
    assert.equal((await client.request('GET', `${path}/${id}`)).status, 404)
  } finally {
    client.close()
    await again.stop()
  }
}

const read = async (client: Client, path: string) => {
  const { status, body } = await client.request('GET', path)
  assert.equal(status, 200)
  return JSON.parse(body)
}
