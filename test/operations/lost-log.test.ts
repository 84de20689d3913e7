import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { rollcall, serve } from './child.ts'

test('after a kill, a start detects that the WAL was deleted, and succeeds once it is back', async (t) => {
  const path = join(freshFolder(), 'a.db')
  const environment = { DATABASE_URL: `sqlite:${path}` }
  const add = ({ url }: { url: string }) =>
    fetch(`${url}/api/v1/todos`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"todoTitle":"kept"}',
    })
  const first = await serve(t, { environment })
  assert.equal((await add(first)).status, 201)
  first.kill('SIGKILL')
  await first.exit
  renameSync(`${path}-wal`, `${path}-aside`)
  for (const args of [['serve', '--port', '0', '--management-port', 'off'], ['verify'], ['todo', 'list']]) {
    const { code, err } = await rollcall(args, { environment })
    assert.deepEqual(
      [code, /a\.db-wal is missing, and with it acknowledged writes\./.test(err)],
      [3, true],
      err,
    )
  }
  renameSync(`${path}-aside`, `${path}-wal`)
  const second = await serve(t, { environment })
  assert.equal(((await (await fetch(`${second.url}/api/v1/todos`)).json()) as object[]).length, 1)
  assert.equal((await add(second)).status, 201)
  second.kill('SIGKILL')
  await second.exit
  for (const end of ['-wal', '-shm']) rmSync(path + end)
  const { code } = await rollcall(['todo', 'list'], { environment })
  assert.equal(code, 0)
})
