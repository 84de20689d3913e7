import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettingsFile } from '#src/cli/settings.ts'
import { SettingError } from '#src/config.ts'
import { freshFolder } from '../fresh-folder.ts'
import { rollcall } from './warm.ts'

test('a value is the rest of its line, trimmed and unquoted; a # within a word or in quotes, and backslashes, are literal', async () => {
  const file = join(freshFolder(), 'settings')
  const table: readonly (readonly [string, string])[] = [
    ['OTEL_SERVICE_NAME=Secr3t#42', 'Secr3t#42'],
    ["OTEL_SERVICE_NAME='#42'", '#42'],
    [' OTEL_SERVICE_NAME = b c ', 'b c'],
    ['OTEL_SERVICE_NAME=b=c', 'b=c'],
    ["OTEL_SERVICE_NAME='b # c '", 'b # c '],
    ['OTEL_SERVICE_NAME="b # c "', 'b # c '],
    ['OTEL_SERVICE_NAME="b\\nc"', 'b\\nc'],
    ["OTEL_SERVICE_NAME=it's", "it's"],
    ["OTEL_SERVICE_NAME=''", ''],
    ['OTEL_SERVICE_NAME=', ''],
    ['\ufeff# of ours\r\n\r\n  # more\r\nOTEL_SERVICE_NAME=b\r\n', 'b'],
  ]
  for (const [text, value] of table) {
    await writeFile(file, text)
    assert.deepEqual(readSettingsFile(file), { OTEL_SERVICE_NAME: value }, text)
  }
})

test('a malformed line stops the start; the message has its number but not its text', async () => {
  const folder = freshFolder()
  const file = join(folder, 'settings')
  for (const line of [
    'ACCESS: basic',
    'SECRET',
    '=SECRET',
    'export A=SECRET',
    "A='SECRET",
    'A="SECRET" # b',
    'ADMIN_PASSWORD=SECRET # ours',
    'ADMIN_PASSWORD=SECRET\t# ours',
    'ADMIN_PASSWORD=#SECRET',
    'PORT= # SECRET',
    'PORT=SECRET',
  ]) {
    await writeFile(file, `# first\nPORT=0\n${line}\n`)
    const { code, err } = await rollcall(['serve', '--settings-file', file], { cwd: folder })
    assert.equal(code, 2, line)
    assert.match(err, /^rollcall: SETTINGS_FILE: line 3 of .*settings [^\n]*\.\n$/, line)
    assert.doesNotMatch(err, /SECRET/)
  }
})

test('an unknown setting, or another settings file, is refused with its line number, and a similar name is suggested', async () => {
  const file = join(freshFolder(), 'settings')
  const place = `in line 3 of ${file}.`
  for (const [name, message] of [
    ['ACESS', `There is no setting ACESS ${place} Is ACCESS meant?`],
    ['SERVICE', `There is no setting SERVICE ${place}`],
    ['port', `There is no setting port ${place} Is PORT meant?`],
    ['SETTINGS_FILE', `SETTINGS_FILE cannot be set ${place}`],
  ] as const) {
    await writeFile(file, `# ours\nPORT=0\n${name}=x\n`)
    assert.throws(() => readSettingsFile(file), { name: 'SettingError', message })
  }
})

test('a settings file that is not UTF-8 is refused', async () => {
  const file = join(freshFolder(), 'settings')
  await writeFile(file, Buffer.from([0x41, 0x3d, 0xff]))
  assert.throws(() => readSettingsFile(file), SettingError)
})
