import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic } from '../access/callers.ts'
import type { Answer } from '../harness.ts'
import { person } from '../people.ts'
import { createMember, sharedMember } from './creating.ts'
import { format, invalid } from './member-fields.ts'
import {
  type Body,
  body,
  expectAnswer,
  field,
  isObject,
  mergePatch,
  type Promised,
  type Row,
  service,
  table,
  xmlBody,
} from './table.ts'

const app = service()
const closed = service({ ACCESS: 'basic', ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' })
const member = sharedMember(app)

const admin = basic('admin', 'admin password')
const credentialOf = (answer: Answer): Body => {
  const { credential } = body(answer)
  assert.ok(isObject(credential))
  return credential
}

test('PUT of a credential returns the member, and all its change times advance', async () => {
  const created = await createMember(app())
  const answer = await app()(`PUT /members/${created.memberId}/credential`, {
    signId: 'Renamed',
    password: 'another password',
  })
  expectAnswer(answer, { status: 200, shows: { memberId: created.memberId, createdAt: created.createdAt } })
  const before = created.credential as Body
  const after = credentialOf(answer)
  assert.equal(after.signId, 'Renamed')
  assert.ok(String(after.passwordLastChangedAt) > String(before.passwordLastChangedAt))
  assert.ok(String(after.lastModifiedAt) > String(before.lastModifiedAt))
  assert.ok(field(answer, 'lastModifiedAt') > String(created.lastModifiedAt))
  assert.ok(!answer.text.includes('another password'))
  assert.deepEqual((await app()(`GET /members/${created.memberId}`)).body, answer.body)
})

test('a credential can be changed with an XML body', async () => {
  const { memberId } = await createMember(app())
  const xml = '<credential><signId>by xml</signId><password>another password</password></credential>'
  const answer = await app()(`PUT /members/${memberId}/credential`, xml, xmlBody)
  expectAnswer(answer, { status: 200 })
  assert.equal(credentialOf(answer).signId, 'by xml')
})

test('the sign id of another member is refused with 409, and the message names it', async () => {
  await createMember(app(), { credential: { signId: 'First Come', password: 'open sesame' } })
  const { memberId, credential } = await createMember(app())
  const sent = { signId: 'ＦＩＲＳＴ come', password: 'another password' }
  expectAnswer(await app()(`PUT /members/${memberId}/credential`, sent), {
    status: 409,
    code: 'e.xx.yy.8001',
    message: 'Cannot use specified sign id. sign id : ＦＩＲＳＴ come',
  })
  assert.deepEqual(body(await app()(`GET /members/${memberId}`)).credential, credential)
})

test('an optional currentPassword is checked if sent, unless it is null', async () => {
  const { memberId } = await createMember(app(), { credential: { password: 'password one' } })
  const change = (currentPassword: string | null) =>
    app()(`PUT /members/${memberId}/credential`, { password: 'password two', currentPassword })
  for (const wrong of ['password none', ''])
    expectAnswer(await change(wrong), {
      status: 400,
      code: '7001',
      details: ['currentPassword CurrentPassword'],
    })
  expectAnswer(await change('password one'), { status: 200 })
  expectAnswer(await change(null), { status: 200 })
})

test('a member may keep its sign id, or change only its case', async () => {
  const { memberId } = await createMember(app(), {
    credential: { signId: 'keeper', password: 'open sesame' },
  })
  for (const signId of ['keeper', 'KEEPER']) {
    const answer = await app()(`PUT /members/${memberId}/credential`, {
      signId,
      password: 'another password',
    })
    expectAnswer(answer, { status: 200 })
    assert.equal(credentialOf(answer).signId, signId)
  }
})

const refused = (name: string, sent: unknown, promised: Promised): Row => ({
  name: `PUT of a credential refuses ${name}`,
  request: 'PUT /members/{member}/credential',
  body: sent,
  ...promised,
})
table(
  app,
  [
    refused('a missing password', { signId: 'x' }, { ...invalid, details: ['password NotNull'] }),
    refused(
      'a password of 7 characters',
      { password: '1234567' },
      { ...invalid, details: ['password Size'] },
    ),
    refused(
      'a password of 129 characters',
      { password: 'x'.repeat(129) },
      { ...invalid, details: ['password Size'] },
    ),
    refused(
      'a sign id of 257 characters',
      { signId: 's'.repeat(257), password: 'open sesame' },
      { ...invalid, details: ['signId Size'] },
    ),
    refused('a number as password', { password: 12345678 }, { ...format, targets: ['password'] }),
    refused('an unknown field', { password: 'open sesame', pin: '1' }, { ...format, targets: ['pin'] }),
  ],
  member,
)

interface Login {
  readonly memberId: string
  readonly signId: string
}

const newLogin = async (signId: string, password: string): Promise<Login> => {
  const answer = await closed()('POST /members', person({ credential: { signId, password } }), admin)
  assert.equal(answer.status, 201, answer.text)
  return { memberId: field(answer, 'memberId'), signId }
}

const change = ({ memberId }: Login, sent: Body, headers: Record<string, string>): Promise<Answer> =>
  closed()(`PUT /members/${memberId}/credential`, sent, headers)

test('a missing currentPassword is reported with the other errors, to a member but not to an admin', async () => {
  const login = await newLogin('hasty', 'password one')
  const headers = basic('hasty', 'password one')
  const attempts: readonly [Body, string[]][] = [
    [{}, ['password NotNull', 'currentPassword NotNull']],
    [{ password: 'short', currentPassword: null }, ['password Size', 'currentPassword NotNull']],
    [{ password: 'short', currentPassword: 'password none' }, ['password Size']],
    [
      { signId: 's'.repeat(257), currentPassword: 'x'.repeat(129) },
      ['signId Size', 'password NotNull', 'currentPassword Size'],
    ],
  ]
  for (const [sent, details] of attempts)
    expectAnswer(await change(login, sent, headers), { ...invalid, details })
  expectAnswer(await change(login, {}, admin), { ...invalid, details: ['password NotNull'] })
})

test('a new password is accepted even if the profile changes while it is hashed', async () => {
  const { memberId } = await createMember(app())
  const path = `/members/${memberId}`
  let isChanging = true
  const changing = (async () => {
    for (let n = 0; isChanging; n++)
      expectAnswer(await app()(`PATCH ${path}`, { address: `${n}` }, mergePatch), { status: 200 })
  })()
  const answer = await app()(`PUT ${path}/credential`, { password: 'another password' })
  isChanging = false
  await changing
  expectAnswer(answer, { status: 200 })
})

test('the slower of two concurrent changes of one credential is refused with 409, and GET shows the other', async () => {
  const { memberId } = await createMember(app())
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((signId) =>
      app()(`PUT /members/${memberId}/credential`, { signId, password: 'another password' }),
    ),
  )
  const [done = [], refused = []] = [true, false].map((isDone) =>
    answers.filter(({ status }) => (status === 200) === isDone),
  )
  for (const answer of refused) expectAnswer(answer, { status: 409, code: '8002' })
  const last = done
    .map(body)
    .sort((a, b) => (String(a.lastModifiedAt) < String(b.lastModifiedAt) ? -1 : 1))
    .at(-1)
  assert.deepEqual((await app()(`GET /members/${memberId}`)).body, last)
})

test('no password appears in the log, neither in plain text nor in Base64', () => {
  const lines = JSON.stringify([app().log, closed().log])
  const words = ['password one', 'password two', 'another password', 'admin password']
  const sent = [admin, basic('changer', 'password one')].map((headers) =>
    String(headers.authorization).slice(6),
  )
  for (const word of [...words, ...sent]) assert.ok(!lines.includes(word), word)
})
