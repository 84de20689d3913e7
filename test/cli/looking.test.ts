import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder, rollcall } from '../operations/child.ts'

test('verify leaves a backup as it is, to the byte, and makes nothing beside it', async (t) => {
  const { folder, good } = await open(t)
  await good(['todo', 'add', 'x'], 'a.db')
  await good(['backup', 'b.db'], 'a.db')
  const before = [await readdir(folder), await readFile(join(folder, 'b.db'), 'base64')]
  assert.equal(await good(['verify'], 'b.db'), 'All is as it must be.\n')
  assert.deepEqual([await readdir(folder), await readFile(join(folder, 'b.db'), 'base64')], before)
})

const open = async (t: TestContext) => {
  const folder = await freshFolder(t)
  const run = (args: readonly string[], name: string) =>
    rollcall(args, { cwd: folder, environment: { DATABASE_URL: `sqlite:${name}` } })
  const good = async (args: readonly string[], name: string) => {
    const ended = await run(args, name)
    assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.err}`)
    return ended.out
  }
  return { folder, run, good }
}
