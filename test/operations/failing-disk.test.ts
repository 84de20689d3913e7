import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { exitCodes } from '#src/cli/exit.ts'
import { freshFolder } from '../fresh-folder.ts'
import { withoutProgram } from '../needed.ts'
import { childEnvironment, main } from '../program.ts'
import { rollcall, serve } from './child.ts'

const skip = withoutProgram('prlimit')

const noStrace = withoutProgram('strace')

test('a read error of the disk is not reported as damage of the database', {
  skip: noStrace,
}, async () => {
  const path = join(freshFolder(), 'rollcall.db')
  const environment = { DATABASE_URL: `sqlite:${path}`, MANAGEMENT_PORT: 'off' }
  assert.equal((await rollcall(['migrate'], { environment })).code, exitCodes.done)
  // Whether SQLite itself then reports it depends on what it was reading.
  for (let first = 6; first <= 15; first += 3) {
    const failing = ['-f', '-P', path, '-o', '/dev/null', '-e', `inject=pread64:error=EIO:when=${first}+`]
    const { stdout } = spawnSync('strace', [...failing, process.execPath, main, 'doctor'], {
      env: { ...childEnvironment, ...environment },
      encoding: 'utf8',
    })
    assert.match(stdout, /bad +data +.*(the disk reports an error|disk I\/O error)/)
  }
})

test('readiness reports a disk that fails every write, until the disk works again', { skip }, async (t) => {
  const environment = { DATABASE_URL: `sqlite:${join(freshFolder(), 'rollcall.db')}` }
  const { url, management, pid } = await serve(t, { environment })
  const create = async () => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ todoTitle: 'a' })
    return (await fetch(`${url}/api/v1/todos`, { method: 'POST', headers, body })).status
  }
  const readiness = async () => {
    const answer = await fetch(`${management}/health/ready`)
    return [answer.status, await answer.json()]
  }
  /** A write beyond this size fails with EFBIG, which SQLite treats as a failing disk, like EIO. */
  const limitFiles = (bytes: string) => spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
  assert.equal(await create(), 201)
  assert.deepEqual(await readiness(), [200, { status: 'up' }])
  limitFiles('1')
  assert.equal(await create(), 503)
  for (let asked = 0; asked < 2; asked++)
    assert.deepEqual(await readiness(), [503, { status: 'down', reasons: ['storage'] }])
  assert.equal((await fetch(`${url}/api/v1/todos`)).status, 200)
  limitFiles('unlimited')
  assert.deepEqual(await readiness(), [200, { status: 'up' }])
  assert.equal(await create(), 201)
})
