import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { DataUnusable, type Reason } from '#sql/unusable.ts'
import { assertUnusable, filledFile, newPath, openForTest, writer } from '#test/sqlite-notes.ts'
import { toUnusable as unusableFile } from './file-faults.ts'

describe('SQLite refuses a file that it cannot use', () => {
  test('because another process uses it, also by a link, until that process is killed', async (t) => {
    const path = newPath()
    const child = await writer(t, path)
    await assertUnusable('locked', path)
    symlinkSync(path, `${path}.link`)
    await assertUnusable('locked', `${path}.link`)
    child.kill('SIGKILL')
    await once(child, 'close')
    await openForTest(t, `sqlite:${path}`)
    await assertUnusable('locked', path)
  })

  test('because another process uses it by a hard link, which has its own lock and WAL', async (t) => {
    const path = newPath()
    const child = await writer(t, path)
    const link = `${path}.link.db`
    linkSync(path, link)
    await assertUnusable('locked', link)
    child.kill('SIGTERM')
    await once(child, 'close')
    assert.equal(existsSync(`${link}-wal`), false)
  })

  const fileWith = (content: string | Uint8Array) => (path: string) => writeFileSync(path, content)
  const refusals: [string, Reason, (path: string) => void][] = [
    ['because it is empty', 'corrupt', fileWith('')],
    ['because it is not a database', 'notADatabase', fileWith('Dear diary, '.repeat(1_000))],
    [
      'because it is the database of another program',
      'notADatabase',
      (path) => new DatabaseSync(path).exec('CREATE TABLE a (b)'),
    ],
    ['because only its WAL is left', 'corrupt', (path) => writeFileSync(`${path}-wal`, 'log')],
    ['because it is a folder', 'unreadable', (path) => mkdirSync(path)],
    [
      'because it is a link whose target is missing, for example because a disk is not mounted',
      'unreadable',
      (path) => symlinkSync(`${path}.gone`, path),
    ],
    ['because a restore was interrupted', 'corrupt', (path) => writeFileSync(`${path}.restored`, 'whole')],
  ]
  for (const [name, reason, mapRow] of refusals) {
    test(name, async () => {
      const path = newPath()
      mapRow(path)
      await assertUnusable(reason, path)
    })
  }

  test('because its folder is a file', async () => {
    const path = newPath()
    writeFileSync(path, 'x')
    await assertUnusable('unreadable', join(path, 'rollcall.db'))
  })

  test('because its folder cannot be created', async () => {
    await assertUnusable('unreadable', '/proc/rollcall/data/rollcall.db')
  })

  test('with a message that names the denied operation', () => {
    for (const [code, words] of [
      ['EACCES', 'cannot be opened. Check the permissions of the file and its folder.'],
      ['EROFS', 'cannot be written to: its disk is mounted read-only.'],
      ['ENOENT', 'is not there, and cannot be created.'],
      ['ENOSPC', 'cannot be opened: the disk is full.'],
      ['ELOOP', 'cannot be used: ELOOP: some call.'],
    ]) {
      const error = Object.assign(new Error(`${code}: some call`), { code })
      assert.equal(unusableFile('a.db', error).message, `a.db ${words}`)
    }
  })

  test('because its header was overwritten', async (t) => {
    await assertUnusable('notADatabase', await overwriteBytes(t, 0, 16))
  })

  test('because its schema was overwritten', async (t) => {
    await assertUnusable('corrupt', await overwriteBytes(t, 100, 4_000))
  })

  test('because it was truncated', async (t) => {
    const path = await filledFile(t)
    truncateSync(path, statSync(path).size / 2)
    await assertUnusable('corrupt', path)
  })

  test('and closes all its files', { skip: !existsSync('/proc/self/fd') }, async () => {
    for (const mapRow of [
      (path: string) => writeFileSync(path, 'Dear diary, '.repeat(1_000)),
      (path: string) => {
        using other = new DatabaseSync(path)
        other.exec('CREATE TABLE a (b)')
      },
    ])
      for (const readOnly of [false, true]) {
        const path = newPath()
        mapRow(path)
        await assert.rejects(openDatabase(`sqlite:${path}`, { readOnly }), DataUnusable)
        assert.deepEqual(
          openFiles().filter((name) => name.startsWith(path)),
          [],
        )
      }
  })

  test('and leaves it unchanged', async () => {
    const path = newPath()
    writeFileSync(path, 'Dear diary')
    await assertUnusable('notADatabase', path)
    assert.equal(readFileSync(path, 'utf8'), 'Dear diary')
  })
})

const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      // Reading the folder itself opened a descriptor.
      return []
    }
  })

const overwriteBytes = async (t: TestContext, from: number, to: number) => {
  const path = await filledFile(t)
  const bytes = readFileSync(path)
  bytes.fill(0x55, from, to)
  writeFileSync(path, bytes)
  return path
}
