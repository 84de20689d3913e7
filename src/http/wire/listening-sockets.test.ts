import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server as SocketServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isServed, newListener } from '#test/listener.ts'
import { projectRoot } from '#test/program.ts'
import { closeGracefully, openListeningSockets, stopListening } from './listening-sockets.ts'

const host = '127.0.0.1'

const withSockets = async (t: TestContext, options: Parameters<typeof newListener>[1] = {}) => {
  const server = newListener(t, options)
  const sockets = await openListeningSockets(server, host, 0)
  t.after(() => closeGracefully(server, sockets))
  return { server, sockets }
}

const portOf = (server: SocketServer) => (server.address() as AddressInfo).port

const hasSeveralSockets = process.platform === 'linux'

test('one turn of the event loop accepts several connections', {
  skip: !hasSeveralSockets && 'this system allows one socket per port',
}, async (t) => {
  const { server } = await withSockets(t)
  let turn = 0
  const turns: number[] = []
  server.on('connection', () => turns.push(turn))
  for (let count = 0; count < 64; count++) {
    const socket = connect({ port: portOf(server), host })
    t.after(() => socket.destroy())
  }
  for (; turns.length < 64; turn++) await nextTurn()
  const took = (turns.at(-1) ?? 0) - (turns[0] ?? 0)
  assert.ok(took < 32, `64 connections took ${took} turns`)
})

test('every listening socket serves its connections', { timeout: 60_000 }, async (t) => {
  const { server } = await withSockets(t)
  for (let count = 0; count < 64; count++) assert.equal((await isServed(t, server, host)).isServed, true)
})

test('a port that is already in use is refused with EADDRINUSE', async (t) => {
  const { server } = await withSockets(t)
  const inUse = { code: 'EADDRINUSE' }
  await assert.rejects(openListeningSockets(newListener(t), host, portOf(server)), inUse)
  const plain = createServer().listen(0, host)
  t.after(() => plain.close())
  await once(plain, 'listening')
  await assert.rejects(openListeningSockets(newListener(t), host, portOf(plain)), inUse)
})

/** Leaves file descriptors for six sockets, and prints the result of opening sixteen. */
const crowded = `
  import { closeSync, openSync } from 'node:fs'
  import { createServer } from 'node:http'
  import { openListeningSockets } from './src/http/wire/listening-sockets.ts'
  const taken = []
  try { for (;;) taken.push(openSync('/dev/null')) } catch {}
  for (const one of taken.splice(0, 6)) closeSync(one)
  const outcome = await openListeningSockets(createServer(), '${host}', 0).catch(({ code }) => code)
  for (const one of taken) closeSync(one)
  console.log(outcome)`

test('opening fails with EMFILE and leaves no socket open if one of them cannot be opened', {
  skip: !hasSeveralSockets && 'this system allows one socket per port',
  timeout: 60_000,
}, async () => {
  const script = 'ulimit -n 256; exec "$0" --input-type=module -e "$1"'
  const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, crowded], {
    cwd: projectRoot,
    timeout: 50_000,
  })
  assert.equal(stdout, 'EMFILE\n')
})

test('the connection limit applies to all listening sockets together', { timeout: 60_000 }, async (t) => {
  let refused = 0
  const connectionLimits = {
    maxInTotal: 8,
    maxPerNetwork: 8,
    isProxy: () => false,
    onRefused: () => refused++,
  }
  const { server } = await withSockets(t, { connectionLimits })
  for (let count = 0; count < 8; count++) assert.equal((await isServed(t, server, host)).isServed, true)
  assert.equal((await isServed(t, server, host)).isServed, false)
  assert.equal(refused, 1)
})

test('a connection made before listening stops is served', async (t) => {
  const { server, sockets } = await withSockets(t)
  const visits = Array.from({ length: 32 }, () => isServed(t, server, host))
  // They connect now, and the server has accepted none of them yet.
  await new Promise<void>((then) => process.nextTick(then))
  const over = stopListening(sockets)
  for (const { isServed, socket } of await Promise.all(visits)) {
    assert.equal(isServed, true)
    socket.destroy()
  }
  await over
})

test('stopListening refuses new connections and waits for open ones', {
  timeout: 60_000,
}, async (t) => {
  const { server, sockets } = await withSockets(t)
  const port = portOf(server)
  const served = await Promise.all(Array.from({ length: 32 }, () => isServed(t, server, host)))
  let isOver = false
  const over = stopListening(sockets).then(() => {
    isOver = true
  })
  while (server.listening) await nextTurn()
  for (let count = 0; count < 32; count++)
    await assert.rejects(once(connect({ port, host }), 'connect'), { code: 'ECONNREFUSED' })
  assert.equal(isOver, false)
  for (const { socket } of served) socket.destroy()
  await over
})
