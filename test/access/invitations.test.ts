import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openFolder } from '../cli/folder.ts'
import { databases } from '../engines.ts'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { asRoot, basic, enrol, fieldOf, startBasic, stoppedClock } from './callers.ts'
import { bearer } from './issuer.ts'

const dayMs = 24 * 60 * 60 * 1000

const secretIn = (answer: Answer) => {
  assert.equal(answer.status, 201, answer.text)
  return fieldOf(answer, 'url').split('/').at(-1) ?? ''
}

const invite = async (api: Api, memberId: string) =>
  bearer(secretIn(await api(`POST /members/${memberId}/invitation`, undefined, asRoot)))

const look = async (api: Api, as: Record<string, string>) =>
  (await api('GET /members/me/invitation', undefined, as)).status

const choose = (api: Api, password: string, as: Record<string, string>) =>
  api('PUT /members/me/invitation', { password }, as)

const canComeIn = async (api: Api, signId: string, password: string) =>
  (await api('GET /todos', undefined, basic(signId, password))).status === 200

for (const { name, url, skip } of databases) {
  test(`${name}: an invitation ends when it expires, a newer one is made, the credential or the role changes, or the member is deleted`, {
    skip,
  }, async (t) => {
    const clock = stoppedClock(Date.now())
    const api = await startBasic(t, { DATABASE_URL: await url(t) }, { clock })
    const { memberId } = await enrol(api, 'mary')
    const place = `/members/${memberId}`
    const give = (role: string) => api(`PUT ${place}/role`, { role }, asRoot)
    const patch = { ...asRoot, 'content-type': 'application/merge-patch+json' }
    const ends: Readonly<Record<string, () => Promise<unknown>>> = {
      'another invitation': () => invite(api, memberId),
      'a new password': () => api(`PUT ${place}/credential`, { password: 'open sesame' }, asRoot),
      'a new sign id': () => api(`PATCH ${place}/credential`, { signId: 'maria' }, patch),
      'a suspension, even if it was lifted': async () => [await give('suspended'), await give('member')],
      'a promotion': async () => [await give('administrator'), await give('member')],
      'seven days': async () => clock.pass(7 * dayMs),
      'a deletion, even if the member was restored': async () => [
        await api(`DELETE ${place}`, undefined, asRoot),
        await api(`POST ${place}/restore`, undefined, asRoot),
      ],
    }
    for (const [what, end] of Object.entries(ends)) {
      const as = await invite(api, memberId)
      assert.equal(await look(api, as), 200, what)
      await end()
      assert.equal(await look(api, as), 401, what)
    }
    const as = await invite(api, memberId)
    clock.pass(7 * dayMs - 1)
    assert.equal(await look(api, as), 200)
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: an invitation permits choosing one password and nothing else`, { skip }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const mary = await enrol(api, 'mary')
    const made = await api(`POST /members/${mary.memberId}/invitation`, undefined, asRoot)
    const secret = secretIn(made)
    assert.equal(made.headers['cache-control'], 'no-store')
    assert.equal(fieldOf(made, 'url'), `${api.url}/#/invitation/${secret}`)
    const as = bearer(secret)
    const shown = await api('GET /members/me/invitation', undefined, as)
    assert.partialDeepStrictEqual(shown.body, { memberId: mary.memberId, firstName: 'John', signId: 'mary' })
    for (const line of ['GET /members/me', 'GET /me', 'GET /todos', 'POST /tokens', 'DELETE /members/me'])
      assert.equal((await api(line, undefined, as)).status, 403, line)
    const john = await enrol(api, 'john')
    assert.equal((await api(`GET /members/${john.memberId}/invitation`, undefined, as)).status, 403)

    assert.equal((await choose(api, 'short', as)).status, 400)
    const both = await Promise.all([choose(api, 'open sesame', as), choose(api, 'other sesame', as)])
    assert.deepEqual(both.map(({ status }) => status < 300).toSorted(), [false, true])
    assert.equal(await look(api, as), 401)
    assert.equal((await choose(api, 'third sesame', as)).status, 401)
    const passwords = ['open sesame', 'other sesame', 'third sesame', mary.password]
    const right = await Promise.all(passwords.map((one) => canComeIn(api, 'mary', one)))
    assert.equal(right.filter(Boolean).length, 1)
    assert.deepEqual(right.slice(2), [false, false])
    assert.ok(!JSON.stringify(api.log).includes(secret), 'the log has the secret')
    assert.ok(!(await api('GET /changes', undefined, asRoot)).text.includes(secret.slice(3)))
  })

  test(`${name}: many members are invited in one request, and those that cannot be invited are named`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const [mary, jane, joe] = [await enrol(api, 'mary'), await enrol(api, 'jane'), await enrol(api, 'joe')]
    await api(`PUT /members/${joe.memberId}/role`, { role: 'suspended' }, asRoot)
    const unknown = '01890000-0000-7000-8000-000000000000'
    const ids = [mary.memberId, jane.memberId, joe.memberId, unknown]
    const made = await api('POST /members/invitations', { ids }, asRoot)
    assert.equal(made.status, 201, made.text)
    const { invited, refused } = made.body as {
      invited: readonly { memberId: string; url: string }[]
      refused: readonly { memberId: string; code: string }[]
    }
    assert.deepEqual(refused, [
      { memberId: joe.memberId, code: 'e.xx.yy.8002' },
      { memberId: unknown, code: 'e.xx.yy.5001' },
    ])
    assert.deepEqual(
      invited.map(({ memberId }) => memberId),
      ids.slice(0, 2),
    )
    for (const { url: link } of invited)
      assert.equal(await look(api, bearer(link.split('/').at(-1) ?? '')), 200)

    const suspended = await api(`POST /members/${joe.memberId}/invitation`, undefined, asRoot)
    assert.deepEqual([suspended.status, fieldOf(suspended, 'code')], [409, 'e.xx.yy.8002'])
    const tooMany = {
      ids: Array.from({ length: 501 }, (_, at) => unknown.slice(0, -3) + String(at).padStart(3, '0')),
    }
    assert.equal((await api('POST /members/invitations', tooMany, asRoot)).status, 400)
    assert.equal((await api('POST /members/invitations', { ids }, mary.headers)).status, 403)
    assert.equal((await api('POST /members/me/invitation', undefined, mary.headers)).status, 403)
  })
}

test('a link begins with PUBLIC_URL, and works under open access', async (t) => {
  const settings = { ACCESS: 'open', PUBLIC_URL: 'https://roll.example.com/in' }
  const api = await startApp(t, settings)
  const memberId = fieldOf(await api('POST /members', john), 'memberId')
  const made = await api(`POST /members/${memberId}/invitation`)
  assert.match(fieldOf(made, 'url'), /^https:\/\/roll\.example\.com\/in\/#\/invitation\/ri_[\w-]{43}$/)
  assert.equal((await choose(api, 'open sesame', bearer(secretIn(made)))).status, 200)
  assert.equal((await choose(api, 'open sesame', {})).status, 403)
})

test('guessed invitations are throttled like guessed passwords', async (t) => {
  const api = await startBasic(t)
  const guess = (at: number) => look(api, bearer(`ri_${String(at).padStart(43, 'x')}`))
  for (let at = 0; at < 100; at++) assert.equal(await guess(at), 401)
  assert.equal(await guess(100), 429)
})

test('a move takes invitations along, a restore ends them, and no file or export holds their secrets', async (t) => {
  const { good, url } = openFolder()
  const DATABASE_URL = url('a.db')
  const api = await startBasic(t, { DATABASE_URL })
  const { memberId } = await enrol(api, 'mary')
  const as = await invite(api, memberId)
  const secret = as.authorization.split('ri_')[1] ?? ''
  await api.close()
  const exported = await good(['export', 'members'], DATABASE_URL)
  assert.doesNotMatch(exported, /invit/i)
  const path = DATABASE_URL.slice('sqlite:'.length)
  assert.ok(!readFileSync(path, 'latin1').includes(secret))
  const copy = `${freshFolder()}/copy.db`
  await good(['backup', copy], DATABASE_URL)
  await good(['move', '--from', DATABASE_URL, '--to', url('b.db')], DATABASE_URL)
  const moved = await startBasic(t, { DATABASE_URL: url('b.db') })
  assert.equal(await look(moved, as), 200)
  await moved.close()
  await good(['verify'], url('b.db'))
  await good(['restore', copy, '--replace'], DATABASE_URL)
  const restored = await startBasic(t, { DATABASE_URL })
  assert.equal(await look(restored, as), 401)
})

test('without PUBLIC_URL the link of an invitation leads to the console, not to the listener of the API', async (t) => {
  const [port, management] = [await freePort(), await freePort()]
  const api = await startBasic(t, { PORT: String(port), MANAGEMENT_PORT: String(management) })
  const { memberId } = await enrol(api, 'mary')
  const url = fieldOf(await api(`POST /members/${memberId}/invitation`, undefined, asRoot), 'url')
  const page = await fetch(url)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<title>/)
})
