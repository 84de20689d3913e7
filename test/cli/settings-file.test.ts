import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettingsFile } from '#src/cli/settings-file.ts'
import { SettingError } from '#src/config.ts'
import { freshFolder } from '../fresh-folder.ts'
import { rollcall } from '../operations/child.ts'

test('a value is what stands behind the name, with whatever is in it', async () => {
  const file = join(freshFolder(), 'settings')
  const table: readonly (readonly [string, string])[] = [
    ['A=Secr3t#42', 'Secr3t#42'],
    ['A=Secr3t # 42', 'Secr3t # 42'],
    [' A = b c ', 'b c'],
    ['A=b=c', 'b=c'],
    ["A='b # c '", 'b # c '],
    ['A="b # c "', 'b # c '],
    ['A="b\\nc"', 'b\\nc'],
    ["A=it's", "it's"],
    ["A=''", ''],
    ['A=', ''],
    ['\ufeff# of ours\r\n\r\n  # more\r\nA=b\r\n', 'b'],
  ]
  for (const [text, value] of table) {
    await writeFile(file, text)
    assert.deepEqual(readSettingsFile(file), { A: value }, text)
  }
})

test('a line that is nothing known stops the start with its number, and is not repeated', async () => {
  const folder = freshFolder()
  const file = join(folder, 'settings')
  for (const line of [
    'ACCESS: basic',
    'SECRET',
    '=SECRET',
    'export A=SECRET',
    "A='SECRET",
    'A="SECRET" # b',
    'PORT=SECRET',
  ]) {
    await writeFile(file, `# first\nPORT=0\n${line}\n`)
    const { code, err } = await rollcall(['serve', '--settings-file', file], { cwd: folder })
    assert.equal(code, 2, line)
    assert.match(err, /^rollcall: SETTINGS_FILE: line 3 of .*settings [^\n]*\.\n$/, line)
    assert.doesNotMatch(err, /SECRET/)
  }
})

test('a file that is no UTF-8 is refused', async () => {
  const file = join(freshFolder(), 'settings')
  await writeFile(file, Buffer.from([0x41, 0x3d, 0xff]))
  assert.throws(() => readSettingsFile(file), SettingError)
})
