import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

const cutOff = /a restore was cut off\. Run the restore again, or delete \S+\.restored\S* to (keep|start)/

for (const [place, flags] of [
  ['a new path', []],
  ['the path of an existing database', ['--replace']],
] as const)
  test(`a restore to ${place} refuses every start from its first step to its last, and works when it is run again`, async () => {
    const { folder, url, good } = await withBackup()
    await good(['restore', 'copy.db'], url('whole.db'))
    for (let step = 1; ; step++) {
      const name = `${step}.db`
      if (flags.length > 0) copyFileSync(join(folder, 'a.db'), join(folder, name))
      const args = ['restore', 'copy.db', ...flags]
      const environment = { DATABASE_URL: url(name), NODE_OPTIONS: `--import=${killedAt(step)}` }
      const ended = await rollcall(args, { cwd: folder, environment })
      if (isInPlace(folder, name)) break
      assert.equal(ended.code, null, 'killed')
      await assert.rejects(openDatabase(url(name)), cutOff)
      await good(args, url(name))
      assert.ok(isInPlace(folder, name))
    }
  })

/** True if the folder has the files of a complete restore; only the last sync of the folder may be missing. */
const isInPlace = (folder: string, name: string) =>
  remains(folder).length === 0 && contentOf(join(folder, name)) === contentOf(join(folder, 'whole.db'))

/** All bytes except the history id, which a restore changes, and the change counters in the header. */
const contentOf = (file: string) => {
  const bytes = readFileSync(file).fill(0, 24, 28).fill(0, 92, 96)
  return bytes.toString('latin1').replaceAll(/[0-9a-f]{16}/g, '')
}

const remains = (folder: string) => readdirSync(folder).filter((name) => name.includes('.restored'))

/** A module that kills the process at its n-th sync or renaming. */
const killedAt = (step: number) =>
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    let calls = 0
    for (const name of ['fsyncSync', 'renameSync']) {
      const call = fs[name]
      fs[name] = (...given) => {
        if (++calls === ${step}) process.kill(process.pid, 'SIGKILL')
        return call(...given)
      }
    }
    syncBuiltinESMExports()`)}`

test('after an interrupted restore, the refusal names the file to delete in order to abandon the restore', async () => {
  const { folder, url, run } = await withBackup()
  writeFileSync(join(folder, 'a.db.restored.unfinished'), '')
  const { code, err } = await run(['backup', 'another.db'], url('a.db'))
  assert.deepEqual([code, /unfinished to keep the database that is there\.$/m.test(err)], [3, true], err)
  assert.equal((await run(['todo', 'list'], url('none.db'))).code, 2)
  writeFileSync(join(folder, 'none.db.restored.unfinished'), '')
  const missing = await run(['todo', 'list'], url('none.db'))
  assert.deepEqual(
    [missing.code, /unfinished to start with an empty database\.$/m.test(missing.err)],
    [3, true],
  )
})

test('a refused restore does not mark the database as half restored, but keeps the mark of an earlier restore', async () => {
  const { folder, url, run } = await withBackup()
  writeFileSync(join(folder, 'damaged.db'), readFileSync(join(folder, 'copy.db')))
  truncateSync(join(folder, 'damaged.db'), statSync(join(folder, 'copy.db')).size / 2)
  writeFileSync(join(folder, 'other.db'), 'Dear diary')
  for (const [args, expected] of [
    [['missing.db', '--replace'], 2],
    [['copy.db'], 2],
    [['damaged.db', '--replace'], 3],
    [['other.db', '--replace'], 3],
  ] as const) {
    assert.equal((await run(['restore', ...args], url('a.db'))).code, expected)
    assert.deepEqual(remains(folder), [])
  }
  writeFileSync(join(folder, 'a.db.restored.unfinished'), 'half')
  assert.equal((await run(['restore', 'damaged.db', '--replace'], url('a.db'))).code, 3)
  assert.match((await run(['todo', 'list'], url('a.db'))).err, cutOff)
})

/** A backup, and a later state of the database. */
const withBackup = async () => {
  const room = openFolder()
  await room.good(['todo', 'add', 'in the copy'], room.url('a.db'))
  await room.good(['backup', 'copy.db'], room.url('a.db'))
  await room.good(['todo', 'add', 'later'], room.url('a.db'))
  return room
}
