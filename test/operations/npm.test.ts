import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const settings = { PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL: 'sqlite::memory:' }
const isWindows = process.platform === 'win32'

test('SIGTERM to `npm start` ends the service', { skip: isWindows, timeout: 120_000 }, async (t) => {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  t.after(() => killGroup(child.pid ?? 0))
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    err += chunk
  })
  while (!err.includes('Open to')) await once(child.stderr, 'data')
  child.kill('SIGTERM')
  // A surviving child process would keep stderr open.
  await once(child, 'close')
  assert.throws(() => process.kill(-(child.pid ?? 0), 0))
})

const killGroup = (pid: number) => {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
