import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alter } from '../cli/folder.ts'
import { freshFolder } from '../fresh-folder.ts'
import { john } from '../people.ts'
import { asRoot, basic, enrol, fieldOf, startBasic } from './callers.ts'

const lookAlike = [
  ...[' alice', 'alice ', '\u3000alice', 'alice\u00a0', 'ali\tce', 'alice\n', 'ali\u0085ce', 'ali\u2028ce'],
  ...[
    'ali\u200bce',
    '\ufeffalice',
    'alice\u202e',
    'ali\u00adce',
    'alice\u3164',
    'ali\u{e0061}ce',
    'alice\ufe0f',
  ],
  ...[
    '\u0430lice',
    'alic\u0435',
    'Αlice',
    '\u0430\u{1d425}\u{1d422}\u{1d41c}\u{1d41e}',
    '\u0430lice@example.com',
  ],
]

test('a sign id that looks like another one is refused, by POST and by a change of credential', async (t) => {
  const api = await startBasic(t)
  const { memberId } = await enrol(api, 'alice')
  for (const signId of lookAlike) {
    const credential = { signId, password: 'swordfish' }
    const made = await api('POST /members', { ...john, credential }, asRoot)
    assert.equal(made.status, 400, JSON.stringify(signId))
    assert.match(made.text, /"code":"Pattern".*"target":"credential.signId"/)
    const changed = await api(`PUT /members/${memberId}/credential`, credential, asRoot)
    assert.match(changed.text, /"code":"Pattern".*"target":"signId"/, JSON.stringify(signId))
  }
  const derived = { ...john, emailAddress: '\u0430lice@example.com', credential: { password: 'swordfish' } }
  assert.match(
    (await api('POST /members', derived, asRoot)).text,
    /"code":"Pattern".*"target":"emailAddress"/,
  )
})

test('a sign id in any single script is accepted, also with spaces inside', async (t) => {
  const api = await startBasic(t)
  for (const signId of [
    'алиса',
    'алиса@example.com',
    'Αλίκη',
    '太郎 Smith',
    'Jürgen@例え.jp',
    'anna maria',
    'ß-5µm',
    '',
  ])
    await enrol(api, signId)
})

test('a member whose sign id is older than this rule can still sign in', async (t) => {
  const path = `${freshFolder()}/a.db`
  const settings = { DATABASE_URL: `sqlite:${path}` }
  const before = await startBasic(t, settings)
  await enrol(before, 'old')
  await before.close()
  alter(path, "UPDATE credential SET sign_id = ' Old\u200b', sign_id_folded = ' old\u200b'")
  const api = await startBasic(t, settings)
  const headers = basic(' OLD\u200b', 'swordfish')
  const own = await api('GET /members/me', undefined, headers)
  assert.equal(own.status, 200)
  const sent = { password: 'sardine tin', currentPassword: 'swordfish' }
  const place = `PUT /members/${fieldOf(own, 'memberId')}/credential`
  assert.equal((await api(place, sent, headers)).status, 200)
})

test("a sign id that looks like the administrator's is refused, from whatever alphabet its letters are", async (t) => {
  const api = await startBasic(t, { ADMIN_SIGN_ID: 'admin' })
  const asAdmin = basic('admin', 'correct horse')
  for (const signId of ['\u0430\u0501\u043c\u0456\u043f', 'adm\u0131n', 'ADMIN', 'аԁмiп'.replace('i', 'і')]) {
    const made = await api(
      'POST /members',
      { ...john, credential: { signId, password: 'swordfish' } },
      asAdmin,
    )
    assert.equal(made.status, 409, signId)
    assert.match(made.text, /e\.xx\.yy\.8001/)
  }
})
