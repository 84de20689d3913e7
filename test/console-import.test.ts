import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf } from '#console/app/import/judge.ts'
import { batchOf, type Mapping, mappingOf } from '#console/app/import/mapping.ts'
import { tableOf } from '#console/app/import/read.ts'
import type { Body } from '#console/app/import/record.ts'
import { systemClock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { bodyReaders } from '#http/message/body/validation.ts'
import { NewMember } from '#resources/member/schema.ts'
import { TodoChange } from '#resources/todo/declaration.ts'
import { john } from './people.ts'

const read = bodyReaders(systemClock, 'UTC')

/** The code and target of each detail. */
const shortOf = (details: readonly Coded[] = []) => details.map(({ code, target }) => [code, target])

interface Coded {
  readonly code: string
  readonly target?: string | undefined
}

/** What the service says of a body. */
const judged = async (schema: object, body: object) => {
  try {
    await read(schema)(body)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return shortOf(error.resolved.details)
  }
}

const credential = (fields: object) => ({
  credential: { signId: undefined, password: 'demodemo', ...fields },
})
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const bodies: readonly object[] = [
  {},
  { firstName: undefined, lastName: undefined, emailAddress: undefined },
  { firstName: '' },
  { firstName: 'x'.repeat(128), lastName: '𠮟'.repeat(128) },
  { firstName: '𠮟'.repeat(129) },
  { lastName: 'a\u0001' },
  { genderCode: '9' },
  { genderCode: '' },
  { dateOfBirth: '1990-02-30' },
  { dateOfBirth: '03/02/1985' },
  { dateOfBirth: tomorrow },
  { emailAddress: 'nobody' },
  { emailAddress: `${'a'.repeat(256)}@example.com` },
  { telephoneNumber: '1'.repeat(21), zipCode: '1'.repeat(21), address: 'x'.repeat(257) },
  { telephoneNumber: undefined, zipCode: '', address: undefined },
  credential({ signId: '' }),
  credential({ signId: 'x'.repeat(257) }),
  credential({ password: 'short' }),
  credential({ password: undefined }),
]
for (const change of bodies)
  test(`the page refuses of a member what the service refuses: ${JSON.stringify(change).slice(0, 80)}`, async () => {
    const body = { ...john, ...credential({}), ...change }
    const sent = JSON.parse(JSON.stringify(body))
    assert.deepEqual(shortOf(detailsOf('members', body as Body)), await judged(NewMember, sent))
  })

for (const change of [{}, { todoTitle: '' }, { todoTitle: 'x'.repeat(31) }, { finished: 'perhaps' }])
  test(`the page refuses of a todo what the service refuses: ${JSON.stringify(change)}`, async () => {
    const body = { todoTitle: 'a', finished: false, ...change }
    assert.deepEqual(shortOf(detailsOf('todos', body)), await judged(TodoChange, body))
  })

const opened = (text: string, change: Partial<Mapping> = {}) => {
  const table = tableOf(Uint8Array.from(Buffer.from(text)))
  if ('why' in table) return table
  const mapping = mappingOf(table)
  if ('why' in mapping) return mapping
  return { mapping, batch: batchOf(table, { ...mapping, ...change }) }
}

const openedWell = (...given: Parameters<typeof opened>) => {
  const found = opened(...given)
  assert.ok('batch' in found, JSON.stringify(found))
  return found
}

const heading = 'firstName,lastName,genderCode,dateOfBirth,emailAddress,password'
const aiko = 'Aiko,Tanaka,2,1990-04-01,aiko@example.com,demodemo'

const doubts: readonly (readonly [string, string, boolean])[] = [
  ['all is known', `${heading}\n${aiko}\n`, false],
  ['known words', `名,姓,性別,生年月日,メール,パスワード\n${aiko}\n`, false],
  ['an unnamed column without a cell', `${heading},\n${aiko},\n`, false],
  ['a column that says why rows were refused', `Reason,${heading}\nx,${aiko}\n`, false],
  ['a column that is unknown', `${heading},colour\n${aiko},red\n`, true],
  ['two columns of one field', `${heading},Given name\n${aiko},x\n`, true],
  ['a field that no column fills', `${heading.replace('genderCode', 'Reason')}\n${aiko}\n`, true],
  ['an order of dates that is open', `${heading}\n${aiko.replace('1990-04-01', '1/4/1990')}\n`, true],
  [
    'an order of dates that one date shows',
    `${heading}\n${aiko.replace('1990-04-01', '31/4/1990')}\n`,
    false,
  ],
  ['a password that is missing', `${heading}\n${aiko.replace('demodemo', '')}\n`, true],
]
for (const [what, text, isDoubtful] of doubts)
  test(`a person ${isDoubtful ? 'is asked' : 'is not asked'} about the columns: ${what}`, () => {
    assert.equal(openedWell(text).mapping.isDoubtful, isDoubtful)
  })

for (const [reason, password] of [
  ['Reason,', '=demodemo'],
  ['理由,', '=demodemo'],
  ['', "'=demodemo"],
])
  test(`a password of a file that begins with ${reason || 'another column'} is read as ${password}`, () => {
    const { batch } = openedWell(
      `${reason}${heading}\n${reason && 'x,'}${aiko.replace('demodemo', "'=demodemo")}\n`,
    )
    assert.deepEqual(
      batch.records.map(({ body }) => Object(body.credential).password),
      [password],
    )
  })

test('a list that was downloaded from the console is understood, and lacks only the passwords', () => {
  const names =
    'memberId,firstName,lastName,genderCode,dateOfBirth,emailAddress,telephoneNumber,credential.signId,createdAt'
  const text = `\ufeff${names}\nm1,A,B,2,1990-04-01,a@example.com,'+81 3,'=a,2026-01-01T00:00:00.000Z\n`
  const { batch } = openedWell(text)
  const [record] = batch.records
  assert.deepEqual(shortOf(record?.details), [['NotNull', 'credential.password']])
  assert.equal(record?.body.telephoneNumber, '+81 3')
  const made = openedWell(text, { passwords: 'made' }).batch.records[0]
  const { password, signId } = (made?.body.credential ?? {}) as Body
  assert.deepEqual([made?.details, made?.isPasswordMade, signId], [[], true, '=a'])
  assert.match(String(password), /^[0-9a-f]{16}$/)
})

test('all that is wrong with a record is known at once, whatever the format of its file', () => {
  const record = {
    firstName: 'A',
    genderCode: 'other',
    dateOfBirth: '2.1.1990',
    emailAddress: 'x',
    credential: { password: 'a' },
  }
  for (const text of [JSON.stringify([record]), `${JSON.stringify(record)}\n${JSON.stringify(record)}`]) {
    const [found] = openedWell(text).batch.records
    assert.deepEqual(shortOf(found?.details), [
      ['NotNull', 'lastName'],
      ['Email', 'emailAddress'],
      ['Size', 'credential.password'],
    ])
    assert.deepEqual([found?.body.genderCode, found?.body.dateOfBirth], ['0', '1990-01-02'])
  }
})

const openedTodos: readonly (readonly [string, string, 'line' | 'record', string])[] = [
  ['a line each', '{"todoTitle":"one"}\n{"todoTitle":"two","finished":true}\nnot json\n', 'line', 'unparsed'],
  ['an array', '[{"todoTitle":"one"},{"todoTitle":"two","finished":true},7]', 'record', 'unparsed'],
  [
    'columns, after a mark',
    '\uFEFFtodoTitle,finished\none,false\ntwo,true\nthree,true,too many\n',
    'line',
    'wide',
  ],
  [
    'a spreadsheet',
    'todoTitle,finished\none,\ntwo,TRUE\nthree,perhaps\n,\n',
    'line',
    'WrongType of finished',
  ],
  ['tabs', 'todoTitle\tfinished\none\t\ntwo\tTRUE\nthree\tperhaps\n', 'line', 'WrongType of finished'],
]
for (const [what, text, unit, fault] of openedTodos)
  test(`records are read with their faults: ${what}`, () => {
    const { batch } = openedWell(text)
    const [one, two, third, ...others] = batch.records
    assert.deepEqual([batch.unit, batch.kind, others], [unit, 'todos', []])
    assert.deepEqual(
      [one?.body, two?.body],
      [
        { todoTitle: 'one', finished: false },
        { todoTitle: 'two', finished: true },
      ],
    )
    const [detail] = third?.details ?? []
    assert.equal(detail ? `${detail.code} of ${detail.target}` : third?.fault, fault)
  })

const unreadable: readonly (readonly [string, object])[] = [
  ['colour,size\nred,1\n', { why: 'fields' }],
  [`${heading.replace('password', 'credential.passwordHash')}\n${aiko}\n`, { why: 'hashes' }],
  ['{"firstName":"Aiko","credential":{"passwordHash":"$argon2id$"}}', { why: 'hashes' }],
  ['[]', { why: 'empty' }],
  ['just a line of words', { why: 'kind' }],
  ['{\n  "todoTitle": "one"\n}\n{\n  "todoTitle": "two"\n}\n', { why: 'kind' }],
  ['PNG\r\n\x1a\n\0\0\0\r', { why: 'binary' }],
  ['todoTitle,finished\n"one,false\ntwo,false\n', { why: 'open', line: 2 }],
  ['todoTitle,finished\none,false\n"two"2,false\n', { why: 'early', line: 3 }],
]
for (const [text, why] of unreadable)
  test(`a file cannot be read: ${JSON.stringify(text)}`, () => assert.deepEqual(opened(text), why))
