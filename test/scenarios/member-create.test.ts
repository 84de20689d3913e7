import assert from 'node:assert/strict'
import { test } from 'node:test'
import { person, without } from '../people.ts'
import { createMember } from './creating.ts'
import { email, format, invalid, refusedFields, required } from './member-fields.ts'
import {
  type Body,
  body,
  expectAnswer,
  field,
  header,
  isObject,
  jsonBody,
  type Promised,
  type Row,
  rows,
  service,
  table,
  unknownId,
  utc,
  uuid7,
} from './table.ts'

const app = service()
const secret = 'correct horse battery'

test('POST returns the new member in full, without its password', async () => {
  const sent = person({ credential: { signId: 'Johnny', password: secret } })
  const answer = await app()('POST /members', sent)
  expectAnswer(answer, { status: 201, shows: without(sent, 'credential') })
  assert.ok(!answer.text.includes(secret))
  assert.ok(!answer.text.includes('assword"'), 'no field named password')
  const { memberId, createdAt, lastModifiedAt, credential } = body(answer)
  assert.match(String(memberId), uuid7)
  for (const time of [createdAt, lastModifiedAt]) assert.match(String(time), utc)
  assert.ok(isObject(credential))
  assert.equal(credential.signId, 'Johnny')
  assert.deepEqual(Object.keys(credential).sort(), ['lastModifiedAt', 'passwordLastChangedAt', 'signId'])
  assert.match(String(credential.lastModifiedAt), utc)
  assert.equal(createdAt, lastModifiedAt)
  assert.equal(credential.passwordLastChangedAt, createdAt)
  assert.equal(header(answer, 'location'), `${app().url}/api/v1/members/${memberId}`)
})

test('GET and the list show a new member as POST returned it', async () => {
  const created = await createMember(app())
  assert.deepEqual((await app()(`GET /members/${created.memberId}`)).body, created)
  assert.deepEqual(rows(await app()('GET /members')).at(-1), created)
})

const signIds: { name: string; signId?: string | null; email: string; becomes: string }[] = [
  { name: 'an absent sign id', email: 'Absent.One@Example.COM', becomes: 'absent.one@example.com' },
  { name: 'a null sign id', signId: null, email: 'Null.One@Example.COM', becomes: 'null.one@example.com' },
  { name: 'an empty sign id', signId: '', email: 'Empty.One@Example.COM', becomes: 'empty.one@example.com' },
]
for (const { name, email, becomes, ...credential } of signIds) {
  test(`${name} defaults to the e-mail address in lower case`, async () => {
    const fields = { emailAddress: email, credential: { ...credential, password: secret } }
    const member = await createMember(app(), fields)
    assert.equal(member.emailAddress, email)
    assert.equal((member.credential as Body).signId, becomes)
  })
}

test('an e-mail address whose lower-case form is too long for a sign id is refused', async () => {
  const emailAddress = `${'İ'.repeat(126)}123456@x.co`
  const refused = await app()('POST /members', person({ emailAddress, credential: { password: 'demodemo' } }))
  const { details } = body(refused) as unknown as { details: readonly { code: string; target: string }[] }
  assert.deepEqual(
    [refused.status, ...details.map(({ code, target }) => `${code} ${target}`)],
    [400, 'Size emailAddress'],
  )
})

test('a sign id is stored exactly as it was sent', async () => {
  const member = await createMember(app(), { credential: { signId: 'Ｋeep Mé', password: secret } })
  assert.equal((member.credential as Body).signId, 'Ｋeep Mé')
})

const taken: { name: string; first: string; second: string }[] = [
  { name: 'a taken sign id', first: 'Taken', second: 'Taken' },
  { name: 'a taken sign id in another case and width', first: 'Wide', second: 'ｗＩＤＥ' },
]
for (const { name, first, second } of taken) {
  test(`${name} is refused with 409, and the message names it`, async () => {
    await createMember(app(), { credential: { signId: first, password: secret } })
    const count = rows(await app()('GET /members')).length
    const answer = await app()('POST /members', person({ credential: { signId: second, password: secret } }))
    expectAnswer(answer, {
      status: 409,
      code: 'e.xx.yy.8001',
      message: `Cannot use specified sign id. sign id : ${second}`,
    })
    assert.equal(rows(await app()('GET /members')).length, count, 'nothing was stored')
  })
}

test('a sign id derived from the e-mail address is refused if taken, and the message says that it is derived', async () => {
  await createMember(app(), { credential: { signId: 'owner@example.com', password: secret } })
  const answer = await app()('POST /members', person({ emailAddress: 'Owner@example.com' }))
  expectAnswer(answer, {
    status: 409,
    code: 'e.xx.yy.8001',
    message: 'Cannot use specified sign id. sign id : owner@example.com',
  })
})

test('exactly one of several concurrent requests for the same `signId` succeeds', async () => {
  const wanted = { credential: { signId: 'popular', password: secret } }
  const answers = await Promise.all(Array.from({ length: 4 }, () => app()('POST /members', person(wanted))))
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409, 409, 409])
})

test('omitted optional fields are null, and null and empty stay distinct', async () => {
  const bare = await createMember(app(), {})
  const sent = without(person({ zipCode: '', address: null }), 'telephoneNumber')
  const answer = await app()('POST /members', sent)
  const expected = { telephoneNumber: null, zipCode: '', address: null }
  expectAnswer(answer, { status: 201, shows: expected })
  expectAnswer(await app()(`GET /members/${field(answer, 'memberId')}`), { status: 200, shows: expected })
  assert.notEqual(bare.address, null)
})

test('fields that only the service writes are accepted and ignored', async () => {
  const old = '2001-01-01T00:00:00.000Z'
  const sent = person({
    memberId: unknownId,
    createdAt: old,
    lastModifiedAt: old,
    links: [],
    credential: { password: secret, passwordLastChangedAt: old, lastModifiedAt: old },
  })
  const answer = await app()('POST /members', sent)
  expectAnswer(answer, { status: 201 })
  assert.notEqual(field(answer, 'memberId'), unknownId)
  assert.ok(!answer.text.includes(old))
})

const accepted: { name: string; fields: Body }[] = [
  { name: 'names of 128 code points', fields: { firstName: '🐈'.repeat(128), lastName: '𝒳'.repeat(128) } },
  {
    name: 'a telephone number and a zip code of 20 characters',
    fields: { telephoneNumber: '1'.repeat(20), zipCode: '2'.repeat(20) },
  },
  { name: 'an address of 256 code points', fields: { address: '京'.repeat(256) } },
  { name: 'a password of 8 characters', fields: { credential: { password: '12345678' } } },
  { name: 'a password of 128 code points', fields: { credential: { password: '🔑'.repeat(128) } } },
  { name: 'a password of nothing but spaces', fields: { credential: { password: ' '.repeat(9) } } },
  {
    name: 'a sign id of 256 characters',
    fields: { credential: { signId: 's'.repeat(256), password: secret } },
  },
  { name: 'an e-mail address of 256 characters', fields: { emailAddress: email(256) } },
  { name: '29 February of a leap year', fields: { dateOfBirth: '2000-02-29' } },
  { name: 'a tab and a line break in a name', fields: { firstName: 'a\tb\r\nc' } },
]
for (const { name, fields } of accepted) {
  test(`POST of a member accepts and stores ${name}`, async () => {
    const shown = without(fields, 'credential')
    const created = await createMember(app(), fields)
    expectAnswer(await app()(`GET /members/${created.memberId}`), { status: 200, shows: shown })
  })
}

const refused = (what: string, fields: Body, expected: Promised): Row => ({
  name: `POST of a member refuses ${what}`,
  request: 'POST /members',
  body: person(fields),
  ...expected,
})
const credential = (fields: Body): Body => ({ credential: { password: secret, ...fields } })
const refusedCredentials: readonly (readonly [what: string, fields: Body, detail: string])[] = [
  ['a null credential', { credential: null }, 'credential NotNull'],
  ['a sign id of 257 characters', credential({ signId: 's'.repeat(257) }), 'credential.signId Size'],
  ['a credential without a password', { credential: {} }, 'credential.password NotNull'],
  ['a password of 7 characters', credential({ password: '1234567' }), 'credential.password Size'],
  ['a password of 129 characters', credential({ password: 'x'.repeat(129) }), 'credential.password Size'],
  ['a control character in a sign id', credential({ signId: 'a\u000bb' }), 'credential.signId Pattern'],
]

table(app, [
  ...refusedFields('POST /members', person),
  ...refusedCredentials.map(([what, fields, detail]) =>
    refused(what, fields, { ...invalid, details: [detail] }),
  ),
  refused(
    'a genderCode outside the code list, with a message that names the list',
    { genderCode: '3' },
    { ...invalid, says: ['"genderCode" must exist in code list of CL_GENDER.'] },
  ),
])

table(app, [
  {
    name: 'POST of an empty object gets one detail for each required field, in schema order',
    request: 'POST /members',
    body: {},
    ...invalid,
    details: [...required, 'credential'].map((name) => `${name} NotNull`),
  },
  {
    name: 'each invalid field gets one detail, in schema order, whatever their order in the body',
    request: 'POST /members',
    body: {
      credential: { password: 'short', signId: 's'.repeat(257) },
      address: 'a'.repeat(257),
      zipCode: '1'.repeat(21),
      telephoneNumber: '1'.repeat(21),
      emailAddress: 'nobody',
      dateOfBirth: '2999-01-01',
      genderCode: '9',
      lastName: 'x'.repeat(129),
      firstName: '',
    },
    ...invalid,
    details: [
      'firstName Size',
      'lastName Size',
      'genderCode ExistInCodeList',
      'dateOfBirth Past',
      'emailAddress Email',
      'telephoneNumber Size',
      'zipCode Size',
      'address Size',
      'credential.signId Size',
      'credential.password Size',
    ],
  },
])

test('a dateOfBirth of today is refused, and one of yesterday is accepted', async () => {
  const today = field(await app()('POST /todos', { todoTitle: 'what day is it' }), 'createdAt').slice(0, 10)
  const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
  const answer = await app()('POST /members', person({ dateOfBirth: today }))
  expectAnswer(answer, { ...invalid, details: ['dateOfBirth Past'] })
  await createMember(app(), { dateOfBirth: yesterday })
})

table(app, [
  refused('a number as password', credential({ password: 12345678 }), {
    ...format,
    targets: ['credential.password'],
  }),
  refused('an unknown field in the credential', credential({ pin: '1' }), {
    ...format,
    targets: ['credential.pin'],
  }),
])

test('a refusal never echoes the password that was sent', async () => {
  const tooShort = 'short!!'
  for (const fields of [
    { credential: { password: tooShort } },
    { credential: { password: tooShort, pin: 1 } },
    { credential: { password: [tooShort] } },
    { credential: tooShort },
  ]) {
    const answer = await app()('POST /members', person(fields))
    assert.equal(answer.status, 400)
    assert.ok(!answer.text.includes(tooShort), answer.text)
  }
  const broken = await app()('POST /members', `{"credential":{"password":"${tooShort}" oops}}`, jsonBody)
  assert.equal(broken.status, 400)
  assert.ok(!broken.text.includes(tooShort), broken.text)
})
