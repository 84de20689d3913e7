import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { usage } from '#lab/bench/usage.ts'
import { httpClient } from '#lab/histories/client.ts'
import { spreadOf } from '#lab/median.ts'
import { openService } from '#lab/service.ts'
import { freePort } from '../../test/free-port.ts'
import { openServer, urlOf } from '../../test/postgres-server.ts'
import { million } from './million.ts'
import { sendArrivals, startService } from './service.ts'

const todos = '/api/v1/todos'
const todo = { todoTitle: 'press' }
const seconds = Number(process.env.PRESSURE_SECONDS ?? 20)

/** The delay of the feed of changes, and its cost. */
export const changes = async (wanted: string | undefined) => {
  for (const [name, measure] of Object.entries({ latency, streams, million, webhooks }))
    if (wanted === undefined || wanted === name) {
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-pressure-'))
      await measure(folder)
      rmSync(folder, { recursive: true, force: true })
    }
}

const write = (client: ReturnType<typeof httpClient>, track: string) =>
  client.ask({ method: 'POST', path: todos, body: todo, headers: { 'x-track': track } })

/** From the acknowledgement of a write to the reader of a stream at another instance. */
const latency = async (folder: string) => {
  const server = await openServer(join(folder, 'postgres'))
  const writer = await openService({ databaseUrl: urlOf(server) })
  const reader = await openService({ databaseUrl: urlOf(server) })
  const client = httpClient(writer.url)
  const seenMs = new Map<string, number>()
  const stream = await openStream(reader.port, '', (text) => {
    for (const [, track = ''] of text.matchAll(/"track":"([^"]+)"/g)) seenMs.set(track, performance.now())
  })
  await sleep(1_000)
  const ackedMs: number[] = []
  for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs; await sleep(10)) {
    await write(client, `press-${ackedMs.length}`)
    ackedMs.push(performance.now())
  }
  await sleep(1_000)
  const waits = ackedMs.map((ms, at) => (seenMs.get(`press-${at}`) ?? Number.POSITIVE_INFINITY) - ms)
  console.log(`PostgreSQL: at another instance ${spreadOf(waits)} after the acknowledgement`)
  stream.close()
  client.close()
  await Promise.all([writer.end(), reader.end()])
  await server.stop()
}

const streamCount = Number(process.env.PRESSURE_STREAMS ?? 1_000)
const writesPerSecond = Number(process.env.PRESSURE_WRITES ?? 500)
const catchUpMs = 60_000
const following = { 'one record each': '&id=018f0000-0000-7000-8000-000000000000', everything: '' }

/** Many streams on one core, while many write. */
const streams = async (folder: string) => {
  for (const [name, query] of Object.entries(following)) {
    const port = await freePort()
    const databaseUrl = `sqlite:${join(folder, `${port}.db`)}`
    const program = join(import.meta.dirname, 'many-streams.ts')
    const child = spawn('taskset', ['-c', '0', process.execPath, program], {
      env: { PATH: process.env.PATH, PORT: `${port}`, MANAGEMENT_PORT: 'off', DATABASE_URL: databaseUrl },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const client = httpClient(`http://127.0.0.1:${port}`, catchUpMs)
    while (!(await write(client, 'the-first').catch(() => undefined))) await sleep(50)
    const pid = child.pid ?? 0
    const idle = usage(pid)
    const all: Awaited<ReturnType<typeof openStream>>[] = []
    while (all.length < streamCount) all.push(await openStream(port, query))
    await sleep(2_000)
    const before = { ...usage(pid), atMs: performance.now() }
    const body = JSON.stringify(todo)
    const head = `POST ${todos} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json`
    const requests = [`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`]
    const plan = { port, perSecond: writesPerSecond, seconds, connections: 64, requests }
    const { sentMs, perSecond } = await sendArrivals(plan)
    const after = { ...usage(pid), atMs: performance.now() }
    await write(client, 'the-last')
    const isBehind = () => query === '' && all.some((one) => one.isOpen() && !one.tail().includes('the-last'))
    while (isBehind() && performance.now() < after.atMs + catchUpMs) await sleep(10)
    const busy = (after.cpuMs - before.cpuMs) / (after.atMs - before.atMs)
    const sentBytes = all.reduce((sum, one) => sum + one.bytes(), 0)
    console.log(
      [
        `${streamCount} streams of ${name} and ${perSecond.toFixed(0)} writes a second of ${writesPerSecond}`,
        `p99 of a write ${sentMs['2']?.p99.toFixed(1)} ms`,
        `${(busy * 100).toFixed(0)} % of a core`,
        `${mib(after.residentBytes - idle.residentBytes)} MiB more`,
        `${mib(sentBytes)} MiB sent`,
        `${all.filter((one) => !one.isOpen()).length} cut`,
        `the last was told to all ${(performance.now() - after.atMs).toFixed(0)} ms after the load`,
      ].join('; '),
    )
    for (const one of all) one.close()
    client.close()
    child.kill('SIGKILL')
  }
}

const mib = (bytes: number) => Math.round(bytes / 2 ** 20)

const tailLength = 1_000

/** Opens a stream, again and again while the service is overloaded. */
const openStream = async (port: number, query: string, onText?: (text: string) => void) => {
  const path = `/api/v1/changes?after=latest${query}`
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`
  for (;;) {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.on('error', () => undefined)
    socket.write(request)
    let tail = ''
    const [first] = await once(socket, 'data')
    if (!String(first).startsWith('HTTP/1.1 200')) {
      socket.destroy()
      await sleep(20)
      continue
    }
    socket.on('data', (chunk: string) => {
      onText?.(chunk)
      tail = (tail + chunk.slice(-tailLength)).slice(-tailLength)
    })
    return {
      isOpen: () => !socket.closed && !socket.readableEnded,
      bytes: () => socket.bytesRead,
      tail: () => tail,
      close: () => socket.destroy(),
    }
  }
}

const deliveries = 2_000
const batchSize = 100

/** How many changes a webhook gets in a second, and ten of them. */
const webhooks = async () => {
  for (const count of [1, 10]) {
    let received = 0
    const receiver = createServer((request, response) => {
      received++
      request.resume().on('end', () => response.writeHead(204).end())
    }).listen(0, '127.0.0.1')
    await sleep(100)
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const service = await startService({ WEBHOOK_HOSTS: '127.0.0.1' })
    const client = httpClient(`http://127.0.0.1:${service.port}`, catchUpMs)
    const webhook = { url, types: ['todo.created'] }
    for (let at = 0; at < count; at++)
      await client.ask({ method: 'POST', path: '/api/v1/webhooks', body: webhook })
    const operation = { method: 'POST', path: todos, body: todo }
    const body = { atomic: true, operations: Array.from({ length: batchSize }, () => operation) }
    for (let sent = 0; sent < deliveries / count; sent += batchSize)
      await client.ask({ method: 'POST', path: '/api/v1/batch', body })
    const [before, startedAtMs] = [received, performance.now()]
    while (received < deliveries) await sleep(5)
    const perSecond = ((received - before) * 1000) / (performance.now() - startedAtMs)
    console.log(`webhooks: ${perSecond.toFixed(0)} deliveries a second to ${count} of them`)
    client.close()
    await service.stop()
    receiver.close().closeAllConnections()
  }
}
