import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../fresh-folder.ts'
import { withoutProgram } from '../needed.ts'
import { serve } from './child.ts'

const skip = withoutProgram('prlimit')

test('a service without free descriptors logs and counts this once, and answers again as soon as one is free', {
  skip,
}, async (t) => {
  const folder = freshFolder()
  const log = join(folder, 'log')
  const descriptor = openSync(log, 'a')
  const service = await serve(t, {
    environment: { DATABASE_URL: `sqlite:${join(folder, 'a.db')}` },
    log: descriptor,
  })
  closeSync(descriptor)
  const lines = (message: string) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(message))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const exhausted = async () => {
    const [answer] = await once(get(`${service.management}/metrics`, { agent }), 'response')
    assert.equal(answer.statusCode, 200)
    return Number(/^rollcall_descriptors_exhausted_total (\d+)$/m.exec(await text(answer))?.[1])
  }
  assert.equal(await exhausted(), 0)
  const limitTo = (files: number) =>
    spawnSync('prlimit', ['--pid', String(service.pid), `--nofile=${files}:`])

  limitTo(readdirSync(`/proc/${service.pid}/fd`).length + 2)
  const { hostname, port } = new URL(service.url)
  const sockets = Array.from({ length: 40 }, () =>
    connect(Number(port), hostname).on('error', () => undefined),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  while ((await exhausted()) < 3) await sleep(100)
  const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded
  for (const socket of sockets) socket.resume()
  await sleep(100)
  assert.ok(sockets.filter(isOpen).length < 5)
  assert.equal(lines('no file descriptor is free').length, 1)
  assert.match(lines('no file descriptor is free')[0] ?? '', /"level":"error".*"code":"EMFILE"/)

  limitTo(1024)
  while (lines('file descriptors are free again').length === 0) await sleep(100)
  for (const path of ['/api/v1/todos', '/api/v1/members?page=0'])
    assert.equal((await fetch(service.url + path)).status, 200)
  for (const path of ['/', '/health/ready'])
    assert.equal((await fetch(service.management + path)).status, 200)
  assert.equal(lines('no file descriptor is free').length, 1)
})
