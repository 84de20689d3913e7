import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember, sharedMember } from './creating.ts'
import { format, invalid } from './member-fields.ts'
import {
  body,
  expectAnswer,
  field,
  mergePatch,
  type Promised,
  type Row,
  service,
  table,
  unknownId,
} from './table.ts'

const app = service()
const member = sharedMember(app)

test('PATCH of a member changes only the fields that it names', async () => {
  const created = await createMember(app())
  const answer = await app()(
    `PATCH /members/${created.memberId}`,
    { firstName: 'Jane', address: null },
    mergePatch,
  )
  expectAnswer(answer, { status: 200 })
  const lastModifiedAt = field(answer, 'lastModifiedAt')
  assert.ok(lastModifiedAt > String(created.lastModifiedAt))
  assert.deepEqual(answer.body, { ...created, firstName: 'Jane', address: null, lastModifiedAt })
  assert.deepEqual((await app()(`GET /members/${created.memberId}`)).body, answer.body)
})

test('a PATCH without fields creates no new version', async () => {
  const { memberId } = await createMember(app())
  const { todoId } = body(await app()('POST /todos', { todoTitle: 'a' }))
  for (const path of [`/members/${memberId}`, `/todos/${todoId}`]) {
    const before = await app()(`GET ${path}`)
    for (const condition of [{}, { 'if-match': before.headers.etag ?? '' }]) {
      const answer = await app()(`PATCH ${path}`, {}, { ...mergePatch, ...condition })
      assert.deepEqual(
        [answer.status, answer.body, answer.headers.etag],
        [200, before.body, before.headers.etag],
      )
    }
    const minimal = await app()(`PATCH ${path}`, {}, { ...mergePatch, prefer: 'return=minimal' })
    assert.deepEqual([minimal.status, minimal.headers.etag], [204, before.headers.etag])
    expectAnswer(await app()(`PATCH ${path}`, {}, { ...mergePatch, 'if-match': '"9-j.aaaaa"' }), {
      status: 412,
      code: '8003',
    })
  }
})

test('PATCH of the e-mail address leaves the sign id unchanged', async () => {
  const created = await createMember(app())
  const answer = await app()(
    `PATCH /members/${created.memberId}`,
    { emailAddress: 'new@example.com' },
    mergePatch,
  )
  expectAnswer(answer, {
    status: 200,
    shows: { emailAddress: 'new@example.com', credential: created.credential },
  })
})

const row = (name: string, sent: unknown, promised: Promised): Row => ({
  name: `PATCH of a member ${name}`,
  request: 'PATCH /members/{member}',
  body: sent,
  headers: mergePatch,
  ...promised,
})
table(
  app,
  [
    row(
      'ignores fields that only the service writes',
      { memberId: unknownId, createdAt: 'x', lastModifiedAt: 'y', links: [] },
      { status: 200 },
    ),
    row(
      'ignores links inside the credential, even if they are null',
      { credential: { links: null } },
      { status: 200 },
    ),
    row('accepts a null password within the credential', { credential: { password: null } }, { status: 200 }),
    ...['signId', 'passwordLastChangedAt', 'lastModifiedAt'].map((name) =>
      row(
        `cannot remove ${name} from the credential`,
        { credential: { [name]: null } },
        { ...invalid, details: ['credential Null'] },
      ),
    ),
    row(
      'refuses an unknown field inside the credential, even if it is null',
      { credential: { pin: null } },
      { ...format, targets: ['credential.pin'] },
    ),
    ...['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress'].map((name) =>
      row(`cannot remove ${name}`, { [name]: null }, { ...invalid, details: [`${name} NotNull`] }),
    ),
    row(
      'refuses the same invalid values as PUT',
      { firstName: '', genderCode: '7', address: 'x'.repeat(257) },
      { ...invalid, details: ['firstName Size', 'genderCode ExistInCodeList', 'address Size'] },
    ),
    row(
      'refuses a new sign id',
      { credential: { signId: 'stolen' } },
      { ...invalid, details: ['credential Null'] },
    ),
    row(
      'refuses an unknown field, even if it is null',
      { nickname: null },
      { ...format, targets: ['nickname'] },
    ),
    row(
      'refuses an array of JSON Patch operations',
      [{ op: 'replace', path: '/firstName', value: 'x' }],
      format,
    ),
    row('refuses null', 'null', format),
  ],
  member,
)
