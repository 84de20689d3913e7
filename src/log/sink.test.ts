import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '#test/fresh-folder.ts'
import { logSink } from './sink.ts'

const line = (number: number) => `${String(number).padStart(99)}\n`

test('lines reach a file whole and in order', async () => {
  const path = join(freshFolder(), 'log')
  const fd = openSync(path, 'w')
  const sink = logSink({ fd })
  for (let number = 0; number < 2_000; number++) sink.write(line(number))
  await sink.close()
  closeSync(fd)
  assert.equal(
    readFileSync(path, 'utf8'),
    Array.from({ length: 2_000 }, (_, number) => line(number)).join(''),
  )
  assert.equal(sink.dropped, 0)
})

/** How much the operating system itself buffers for a reader. */
const pipeBytes = 64 * 1024

test('an unread pipe buffers a limited amount, the rest is counted as dropped, and close() resolves', {
  timeout: 60_000,
}, async () => {
  const path = join(freshFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, 'r+')
  const sink = logSink({ fd, waitingLimitBytes: 20_000 })
  const wide = `${'語'.repeat(33)}\n`
  const lineBytes = Buffer.byteLength(wide)
  for (let number = 0; number < 10_000; number++) {
    sink.write(wide)
    if (number % 100 === 0) await sleep(1)
  }
  const takenBytes = (10_000 - sink.dropped) * lineBytes
  await sink.close()
  assert.ok(takenBytes <= pipeBytes + 20_000, `${takenBytes} bytes taken`)
  assert.ok(takenBytes > 20_000, `${takenBytes} bytes taken`)
})

test('close() resolves even if nobody reads the last lines', { timeout: 60_000 }, async () => {
  const path = join(freshFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, 'r+')
  const sink = logSink({ fd })
  for (let number = 0; number < 600; number++) sink.write(line(number))
  await sleep(400)
  for (let number = 0; number < 200; number++) sink.write(line(number))
  await sink.close()
})

test('a slow reader still gets the later lines', async (t) => {
  const path = join(freshFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const fd = openSync(path, 'r+')
  const sink = logSink({ fd, waitingLimitBytes: 20_000 })
  for (let number = 0; number < 3_000; number++) sink.write(line(number))
  const reader = spawn('cat', [path])
  let read = ''
  reader.stdout.on('data', (chunk) => {
    read += chunk
  })
  while (!read.includes('a later line')) {
    sink.write('a later line\n')
    await sleep(20, undefined, { signal: t.signal })
  }
  reader.kill()
  await once(reader, 'exit')
  await sink.close()
  assert.ok(sink.dropped > 0)
})
