import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lines, openFolder } from '../cli/folder.ts'
import { john } from '../people.ts'
import { asRoot, basic, fieldOf, startBasic } from './callers.ts'

const memberId = '01920000-0000-7000-8000-000000000001'
const mary = { ...john, memberId, credential: { signId: 'mary', passwordHash: '' } }

test('a member without a password passes verify, and stays without one in an export and import', async () => {
  const { good, write, url } = openFolder()
  const DATABASE_URL = url('a.db')
  await write('people.ndjson', lines([mary]))
  await good(['import', 'members', 'people.ndjson', '--exact'], DATABASE_URL)
  await good(['verify'], DATABASE_URL)
  const exported = await good(['export', 'members'], DATABASE_URL)
  for (const format of ['csv', 'ndjson']) {
    await good(['export', 'members', `copy.${format}`], DATABASE_URL)
    await good(['import', 'members', `copy.${format}`, '--exact'], url(`${format}.db`))
    assert.equal(await good(['export', 'members'], url(`${format}.db`)), exported)
  }
  assert.match(exported, /"passwordHash":""/)
})

test('a member without a password can be read and changed, but cannot sign in', async (t) => {
  const { good, write, url } = openFolder()
  const DATABASE_URL = url('a.db')
  await write('people.ndjson', lines([mary]))
  await good(['import', 'members', 'people.ndjson', '--exact'], DATABASE_URL)
  const api = await startBasic(t, { DATABASE_URL })
  const shown = await api(`GET /members/${memberId}`, undefined, asRoot)
  assert.equal(shown.status, 200)
  assert.equal((shown.body as typeof mary).credential.signId, 'mary')

  const unknown = await api('GET /todos', undefined, basic('nobody', 'swordfish'))
  for (const password of ['', 'swordfish', '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$']) {
    const refused = await api('GET /todos', undefined, basic('mary', password))
    assert.deepEqual([refused.status, refused.text], [401, unknown.text])
  }
  const place = `PUT /members/${memberId}/credential`
  const proved = await api(place, { password: 'open sesame', currentPassword: '' }, asRoot)
  assert.match(proved.text, /CurrentPassword/)
  assert.equal((await api(place, { password: 'open sesame' }, asRoot)).status, 200)
  assert.equal((await api('GET /todos', undefined, basic('mary', 'open sesame'))).status, 200)
  assert.equal(
    fieldOf(await api('GET /members/me', undefined, basic('mary', 'open sesame')), 'memberId'),
    memberId,
  )
})
