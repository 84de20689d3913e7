import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openApp } from '#src/app.ts'
import { readConfig, SettingError } from '#src/config.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, quiet, request, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { expectAnswer } from '../scenarios/table.ts'
import { asRoot, basic, enrol, fieldOf, root, startBasic } from './callers.ts'

const listFile = async (text: string | Buffer): Promise<string> => {
  const file = join(freshFolder(), 'refused.txt')
  await writeFile(file, text)
  return file
}

const invalid = { status: 400, code: '7001' }

const withPassword = (password: string, signId: string | null = null) => ({
  ...john,
  credential: { signId, password },
})

test('a listed password is refused on creation, whatever its case and width', async (t) => {
  const REFUSED_PASSWORDS = await listFile('\ufeffpassword1\r\nStraße1234\n\nqwertyuiop\n  spaced  ')
  const api = await startApp(t, { REFUSED_PASSWORDS })
  const refused = ['password1', 'PassWord1', 'ｐａｓｓｗｏｒｄ１', 'STRASSE1234', 'QWERTYUIOP', '  Spaced  ']
  for (const password of refused) {
    const answer = await api('POST /members', withPassword(password))
    expectAnswer(answer, {
      ...invalid,
      details: ['credential.password CommonPassword'],
      says: ['"credential.password" must not be a commonly used password.'],
    })
    assert.ok(!answer.text.includes(password), 'the answer does not repeat it')
  }
  for (const password of ['password12', 'xpassword1', 'spaced  x', 'passw0rd1'])
    assert.equal((await api('POST /members', withPassword(password, password))).status, 201, password)
})

test('nobody can change to a listed password, and a wrong current password is reported first', async (t) => {
  const file = await listFile('nothing else')
  const settings = { PORT: '0', REFUSED_PASSWORDS: file }
  const api = await startBasic(t, settings)
  const person = await enrol(api, 'john', 'password1')
  const change = (password: string, currentPassword: string): Promise<Answer> =>
    api(`PUT /members/${person.memberId}/credential`, { password, currentPassword }, person.headers)
  expectAnswer(await change('NOTHING else', 'password1'), {
    ...invalid,
    details: ['password CommonPassword'],
  })
  expectAnswer(await change('nothing else', 'not mine'), {
    ...invalid,
    details: ['currentPassword CurrentPassword'],
  })
  assert.equal((await change('something else', 'password1')).status, 200)
})

test('a member whose password is listed later still signs in, and can use it to set a new one', async (t) => {
  const REFUSED_PASSWORDS = await listFile('something else')
  const config = readConfig({
    ...base,
    REFUSED_PASSWORDS,
    ACCESS: 'basic',
    ADMIN_SIGN_ID: root.signId,
    ADMIN_PASSWORD: root.password,
  })
  const app = await openApp(config, quiet)
  t.after(() => app.close())
  const call = (line: string, headers: Record<string, string>, body?: unknown) =>
    request(`${app.url}/api/v1`, line, { headers, body })
  const memberId = fieldOf(await call('POST /members', asRoot, withPassword('password1', 'john')), 'memberId')
  await writeFile(REFUSED_PASSWORDS, 'password1')
  await app.reload('info')
  expectAnswer(await call('POST /members', asRoot, withPassword('password1', 'mary')), invalid)
  const change = { password: 'something else', currentPassword: 'password1' }
  const answer = await call(`PUT /members/${memberId}/credential`, basic('john', 'password1'), change)
  assert.equal(answer.status, 200)
})

const base = { PORT: '0', MANAGEMENT_PORT: 'off', DATABASE_URL: 'sqlite::memory:' }
const open = (settings: Record<string, string>) => openApp(readConfig({ ...base, ...settings }), quiet)

const wrongLists: Readonly<Record<string, readonly [text: string | Buffer, sentence: RegExp]>> = {
  'without a password': ['\n\r\n', /REFUSED_PASSWORDS lists no password\./],
  'that is not UTF-8': [Buffer.from([0x70, 0xff, 0x0a]), /REFUSED_PASSWORDS is not UTF-8\./],
  'of too many bytes': ['x'.repeat(2 * 1024 * 1024 + 1), /REFUSED_PASSWORDS is larger than 2097152 bytes\./],
  'of too many lines': ['a\n'.repeat(100_001), /REFUSED_PASSWORDS has more than 100000 lines\./],
  "with the administrator's password": ['RootRoot', /ADMIN_PASSWORD is one of REFUSED_PASSWORDS\./],
}

for (const [flaw, [text, sentence]] of Object.entries(wrongLists)) {
  test(`a password list ${flaw} fails the start with a message that names the setting`, async () => {
    const REFUSED_PASSWORDS = await listFile(text)
    const started = open({
      ACCESS: 'basic',
      REFUSED_PASSWORDS,
      ADMIN_SIGN_ID: 'root',
      ADMIN_PASSWORD: 'rootroot',
    })
    await assert.rejects(started, (error) => error instanceof SettingError && sentence.test(error.message))
  })
}

test('a missing password list fails the start, but a reload keeps the previous list', async (t) => {
  const REFUSED_PASSWORDS = await listFile('password1')
  await assert.rejects(open({ REFUSED_PASSWORDS: `${REFUSED_PASSWORDS}.none` }), (error) => {
    assert.ok(error instanceof SettingError)
    assert.match(error.message, /^REFUSED_PASSWORDS cannot be read: /)
    return true
  })
  const app = await open({ REFUSED_PASSWORDS })
  t.after(() => app.close())
  const status = async (password: string) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(withPassword(password, password))
    return (await fetch(`${app.url}/api/v1/members`, { method: 'POST', headers, body })).status
  }
  await rm(REFUSED_PASSWORDS)
  await assert.rejects(app.reload('info'), SettingError)
  assert.equal(await status('password1'), 400)
  await writeFile(REFUSED_PASSWORDS, 'password2')
  await app.reload('info')
  assert.equal(await status('password2'), 400)
  assert.equal(await status('password1'), 201)
})
