import assert from 'node:assert/strict'
import { chmodSync, chownSync, linkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#test/fresh-folder.ts'
import { copyOwnerAndMode, giveToOwnerOf } from './owner.ts'

const skip = process.geteuid?.() === 0 ? false : 'only root may give files away'

test('if root runs the process, giveToOwnerOf gives a file to the owner of a folder, but not a link or a file with two names', {
  skip,
}, () => {
  const { folder, file } = twoFiles()
  chownSync(folder, 1_000, 1_000)
  const link = join(folder, 'link')
  symlinkSync(file, link)
  assert.throws(() => giveToOwnerOf(folder, link), { code: 'ELOOP' })
  const second = join(folder, 'second')
  linkSync(file, second)
  giveToOwnerOf(folder, second)
  assert.equal(statSync(file).uid, 0)
  const alone = join(folder, 'alone')
  writeFileSync(alone, '')
  giveToOwnerOf(folder, alone)
  assert.deepEqual([statSync(alone).uid, statSync(alone).gid], [1_000, 1_000])
})

test('copyOwnerAndMode copies the mode of a file, keeps it writable for its owner, and ignores the mode of a folder', () => {
  const { folder, file, model } = twoFiles()
  chmodSync(model, 0o640)
  copyOwnerAndMode(model, file)
  assert.equal(statSync(file).mode & 0o777, 0o640)
  chmodSync(model, 0o444)
  copyOwnerAndMode(model, file)
  assert.equal(statSync(file).mode & 0o777, 0o644)
  copyOwnerAndMode(folder, file)
  assert.equal(statSync(file).mode & 0o777, 0o644)
})

const twoFiles = () => {
  const folder = freshFolder()
  const [file, model] = [join(folder, 'file'), join(folder, 'model')]
  for (const path of [file, model]) writeFileSync(path, '', { mode: 0o600 })
  return { folder, file, model }
}
