import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#test/fresh-folder.ts'
import { passwordIn } from './passfile.ts'

const file = (text: string, mode = 0o600) => {
  const path = join(freshFolder(), 'passwords')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const target = { host: 'db1', port: 5432, database: 'data', user: 'me' }

for (const [line, password] of [
  ['db1:5432:data:me:secret', 'secret'],
  ['*:*:*:*:secret', 'secret'],
  ['db1:5432:data:me:se\\:c\\\\ret', 'se:c\\ret'],
  ['db1:5432:data:me:sec:ret', 'sec'],
  ['#db1:5432:data:me:secret', undefined],
  ['db2:5432:data:me:secret', undefined],
  ['db1:5433:data:me:secret', undefined],
  ['db1:5432:other:me:secret', undefined],
  ['db1:5432:data:you:secret', undefined],
  ['d*:5432:data:me:secret', undefined],
  ['\\*:5432:data:me:secret', undefined],
  ['db1:5432:data:me:', undefined],
  ['db1:5432:data', undefined],
  ['db1:5432:data:you:theirs\r\n\r\ndb1:5432:data:me:first\r\n*:*:*:*:second\r\n', 'first'],
] as const)
  test(`the password for db1:5432:data:me in ${JSON.stringify(line)} is ${password}`, () => {
    assert.deepEqual(passwordIn(file(line), target), { password })
  })

test('names may contain an escaped colon or backslash, and localhost matches the Unix socket', () => {
  const path = file('h\\\\:1:a\\::b\\:c:first\nlocalhost:*:*:*:second')
  assert.deepEqual(passwordIn(path, { host: 'h\\', port: 1, database: 'a:', user: 'b:c' }), {
    password: 'first',
  })
  assert.deepEqual(passwordIn(path, { ...target, host: '/run/postgresql' }), { password: 'second' })
})

test('a password file is reported if others may read it, it is a folder or cannot be read, but not if it is missing', () => {
  for (const mode of [0o640, 0o604, 0o620])
    assert.match(passwordIn(file('*:*:*:*:secret', mode), target).fault ?? '', /chmod 0600/)
  const folder = join(freshFolder(), 'folder')
  mkdirSync(folder)
  assert.match(passwordIn(folder, target).fault ?? '', /is not a file/)
  assert.match(passwordIn('a\0b', target).fault ?? '', /cannot be read/)
  assert.deepEqual(passwordIn('/none', target), {})
})
