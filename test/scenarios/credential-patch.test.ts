import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asRoot, basic, enrol, type Person, startBasic } from '../access/callers.ts'
import { databases } from '../engines.ts'
import type { Api } from '../harness.ts'
import { createMember, sharedMember } from './creating.ts'
import { invalid } from './member-fields.ts'
import { type Body, body, expectAnswer, header, mergePatch, service, table } from './table.ts'

const app = service()

const patch = (api: Api, { memberId }: Pick<Person, 'memberId'>, sent: unknown, headers = {}) =>
  api(`PATCH /members/${memberId}/credential`, sent, { ...mergePatch, ...headers })

const status = async (api: Api, signId: string, password: string) =>
  (await api('GET /todos', undefined, basic(signId, password))).status

for (const { name, url, skip } of databases) {
  test(`${name}: changes of a sign id and of a password at the same time are both made`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const mary = await enrol(api, 'mary')
    const answers = await Promise.all(
      [{ signId: 'maria' }, { password: 'open sesame' }].map((sent) => patch(api, mary, sent, asRoot)),
    )
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200],
    )
    assert.equal(await status(api, 'maria', 'open sesame'), 200)
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: PATCH changes the sign id or the password alone`, { skip }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const mary = await enrol(api, 'mary')
    const { credential: before } = body(await api('GET /members/me', undefined, mary.headers))
    const renamed = await patch(api, mary, { signId: 'Maria' }, asRoot)
    expectAnswer(renamed, { status: 200 })
    const { credential } = body(renamed) as { credential: Body }
    const { passwordLastChangedAt, lastModifiedAt } = before as Body
    assert.deepEqual([credential.signId, credential.passwordLastChangedAt], ['Maria', passwordLastChangedAt])
    assert.ok(String(credential.lastModifiedAt) > String(lastModifiedAt))
    assert.deepEqual(
      [await status(api, 'maria', 'swordfish'), await status(api, 'mary', 'swordfish')],
      [200, 401],
    )

    const changed = await patch(api, mary, { password: 'open sesame' }, asRoot)
    const { credential: after } = body(changed) as { credential: Body }
    assert.equal(after.signId, 'Maria')
    assert.ok(String(after.passwordLastChangedAt) > String(passwordLastChangedAt))
    assert.deepEqual(
      [await status(api, 'maria', 'open sesame'), await status(api, 'maria', 'swordfish')],
      [200, 401],
    )
    const { content } = body(await api('GET /changes?types=member.credentialChanged', undefined, asRoot))
    assert.deepEqual(
      (content as readonly { data: Body }[]).map(({ data }) => data.changed),
      [['credential.signId'], ['credential.password']],
    )
  })

  test(`${name}: a batch can restore a member and give it a password, and it checks current passwords`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const mary = await enrol(api, 'mary')
    const place = `/api/v1/members/${mary.memberId}`
    await api(`DELETE /members/${mary.memberId}`, undefined, asRoot)
    const change = { method: 'PATCH', path: `${place}/credential`, body: { password: 'open sesame' } }
    const operations = [{ method: 'POST', path: `${place}/restore` }, change]
    expectAnswer(await api('POST /batch', { atomic: true, operations }, asRoot), { status: 200 })
    assert.equal(await status(api, 'mary', 'open sesame'), 200)

    const own = async (currentPassword: string) => {
      const one = { ...change, body: { signId: 'maria', currentPassword } }
      const answer = await api(
        'POST /batch',
        { atomic: false, operations: [one] },
        basic('mary', 'open sesame'),
      )
      const [response] = body(answer).responses as readonly { status: number; body: Body }[]
      return [response?.status, JSON.stringify(response?.body).includes('CurrentPassword')]
    }
    assert.deepEqual(await own('wrong'), [400, true])
    assert.deepEqual(await own('open sesame'), [200, false])
  })
}

test('a PATCH that changes nothing creates no new version', async () => {
  const created = await createMember(app())
  const memberId = String(created.memberId)
  const before = await app()(`GET /members/${memberId}`)
  const { signId } = created.credential as Body
  for (const same of [{}, { signId }, { signId: null, password: null }]) {
    const answer = await patch(app(), { memberId }, same)
    assert.deepEqual(
      [answer.status, answer.body, header(answer, 'etag')],
      [200, before.body, header(before, 'etag')],
    )
  }
})

test('an empty sign id becomes the e-mail address, as in a new member, and a null one stays', async () => {
  for (const [method, rest, headers] of [
    ['PUT', { password: 'open sesame' }, {}],
    ['PATCH', {}, mergePatch],
  ] as const) {
    const emailAddress = `${method}.Empty@Example.COM`
    const { memberId } = await createMember(app(), {
      emailAddress,
      credential: { signId: `${method}-first`, password: 'demodemo' },
    })
    for (const [signId, becomes] of [
      [null, `${method}-first`],
      ['', emailAddress.toLowerCase()],
    ]) {
      const line = `${method} /members/${memberId}/credential`
      const answer = await app()(line, { ...rest, signId }, headers)
      assert.partialDeepStrictEqual(answer.body, { credential: { signId: becomes } }, answer.text)
    }
  }
})

test('PATCH of a credential honours If-Match, Idempotency-Key, Accept and Prefer like every PATCH', async () => {
  const { memberId } = await createMember(app())
  const one = { memberId: String(memberId) }
  const tag = header(await app()(`GET /members/${memberId}`), 'etag')
  const keyed = { 'if-match': tag, 'idempotency-key': 'rename', accept: 'application/xml' }
  const renamed = await patch(app(), one, { signId: 'renamed' }, keyed)
  assert.match(renamed.text, /<signId>renamed<\/signId>/)
  const again = await patch(app(), one, { signId: 'renamed' }, keyed)
  assert.deepEqual([again.text, header(again, 'idempotent-replayed')], [renamed.text, 'true'])
  const stale = await patch(app(), one, { signId: 'other' }, { 'if-match': tag })
  expectAnswer(stale, { status: 412, code: '8003' })
  const minimal = await patch(app(), one, { signId: 'other' }, { prefer: 'return=minimal' })
  assert.deepEqual([minimal.status, minimal.text], [204, ''])
})

test('a member must prove its current password to change its sign id, also when it uses a token', async (t) => {
  const api = await startBasic(t)
  const mary = await enrol(api, 'mary')
  const made = body(await api('POST /tokens', undefined, mary.headers))
  for (const headers of [mary.headers, { authorization: `Bearer ${made.token}` }]) {
    const missing = await patch(api, mary, { signId: 'maria' }, headers)
    expectAnswer(missing, { ...invalid, details: ['currentPassword NotNull'] })
    const wrong = await patch(api, mary, { signId: 'maria', currentPassword: 'wrong' }, headers)
    expectAnswer(wrong, { ...invalid, details: ['currentPassword CurrentPassword'] })
  }
  const right = { signId: 'maria', currentPassword: 'swordfish' }
  expectAnswer(await patch(api, mary, right, mary.headers), { status: 200 })
  assert.equal(await status(api, 'maria', 'swordfish'), 200)
})

const refuses = (name: string, sent: unknown, promised: object) => ({
  name: `PATCH of a credential refuses ${name}`,
  request: 'PATCH /members/{member}/credential',
  body: sent,
  headers: mergePatch,
  status: 400,
  ...promised,
})

table(
  app,
  [
    refuses(
      'a password of 7 characters',
      { password: '1234567' },
      { ...invalid, details: ['password Size'] },
    ),
    refuses(
      'a wrong password, although none is needed',
      { signId: 'x', currentPassword: 'wrong' },
      { ...invalid, details: ['currentPassword CurrentPassword'] },
    ),
    refuses('JSON that is no patch', [], { code: '7003' }),
  ],
  sharedMember(app),
)

test('PATCH refuses a sign id in use', async () => {
  await createMember(app(), { credential: { signId: 'First Come', password: 'open sesame' } })
  const { memberId } = await createMember(app())
  const answer = await patch(app(), { memberId: String(memberId) }, { signId: 'ＦＩＲＳＴ come' })
  expectAnswer(answer, { status: 409, code: 'e.xx.yy.8001' })
})
