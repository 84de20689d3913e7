import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember } from './creating.ts'
import { type Body, expectAnswer, header, prepare, type Row, rows, service, table } from './table.ts'

const app = service()
const names: readonly (readonly [string, string])[] = [
  ['Alice', 'Adams'],
  ['Bob', 'Brown'],
  ['Günther', 'Groß'],
  ['100%', 'Percent'],
  ['太郎', '山田'],
  ['Alice', 'Zander'],
]
const members: Body[] = []
prepare(async () => {
  for (const [firstName, lastName] of names) members.push(await createMember(app(), { firstName, lastName }))
})

const lastNames = (found: readonly Body[]): unknown[] => found.map((row) => row.lastName)
const search = (name: string): string => `GET /members?name=${encodeURIComponent(name)}`

test('the unpaged list has all members in full, in order of creation', async () => {
  const answer = await app()('GET /members')
  expectAnswer(answer, { status: 200, answers: { 'content-type': /^application\/json/ } })
  assert.deepEqual(answer.body, members)
})

/** Folding and parts of names are tested next to their functions. */
const finds: readonly (readonly [string, string, readonly string[]])[] = [
  ['part of the first name', 'lic', ['Adams', 'Zander']],
  ['the first name followed by the last name, regardless of case', 'ALICE Adams', ['Adams']],
  ['the last name followed by the first name', 'adams alice', ['Adams']],
  ['an accented name without its accents', 'gunther', ['Groß']],
  ['a Japanese name without a space, last name first', '山田太郎', ['山田']],
  ['a literal percent sign', '%', ['Percent']],
  ['nobody by % as a wildcard', 'A%s', []],
  ['nobody by injected SQL', "' OR '1'='1", []],
  ['nobody by a name of 128 code points outside the BMP', '🐈'.repeat(128), []],
]
for (const [what, name, expected] of finds) {
  test(`the filter name finds ${what}`, async () => {
    const answer = await app()(search(name))
    expectAnswer(answer, { status: 200 })
    assert.deepEqual(lastNames(rows(answer)), expected)
  })
}

test('if nothing matches, every requested page is empty, and marked as first and as last', async () => {
  for (const page of [0, 3]) {
    const answer = await app()(`${search('nobody')}&page=${page}`)
    expectAnswer(answer, {
      status: 200,
      shows: { content: [], totalElements: 0, totalPages: 0, numberOfElements: 0, first: true, last: true },
      answers: { 'x-total-count': '0' },
    })
    assert.doesNotMatch(header(answer, 'link'), /rel="prev"/)
  }
})

const badName = {
  status: 400,
  code: '7002',
  message: 'Validation error occurred on item in the request parameters.',
}
const refused: Row[] = [
  { name: 'an empty name is refused', request: 'GET /members?name=', ...badName, details: ['name NotEmpty'] },
  ...(
    [
      ['', 'NotEmpty'],
      ['x'.repeat(257), 'Size'],
    ] as const
  ).map(([signId, code]) => ({
    name: `a signId of ${signId.length} characters is refused`,
    request: `GET /members?signId=${signId}`,
    ...badName,
    details: [`signId ${code}`],
  })),
  {
    name: 'a name of 129 characters is refused',
    request: search('x'.repeat(129)),
    ...badName,
    details: ['name Size'],
  },
  {
    name: 'sorting by password is refused',
    request: 'GET /members?sort=password',
    ...badName,
    details: ['sort Pattern'],
  },
]
table(app, refused)

const found: readonly (readonly [query: string, lastNames: readonly string[]])[] = [
  ['emailAddress=FINDER@example.com', ['Finder']],
  ['emailAddress=finder*', ['Finder']],
  ['emailAddress=finder', []],
  ['signId=LOOKUP', ['Finder']],
  ['signId=Look*', ['Finder']],
  ['signId=look', []],
  ['telephoneNumber=%2B81-90-1234*', ['Finder']],
  ['telephoneNumber=＋８１*', ['Finder']],
  ['genderCode=2', ['Finder']],
  ['genderCode=2&name=find', ['Finder']],
  ['genderCode=2&name=alice', []],
  ['bornFrom=1950-02-28&bornTo=1950-03-01', ['Finder']],
  ['bornTo=1950-02-28', []],
  ['bornTo=1951-01-01&genderCode=2', ['Finder']],
  ['bornTo=1951-01-01&genderCode=1', []],
  ['birthdayFrom=02-28&birthdayTo=02-29', ['Finder']],
  ['birthdayFrom=02-29&birthdayTo=03-01', []],
  ['birthdayTo=02-28&genderCode=2', []],
  ['birthdayFrom=12-28&birthdayTo=03-01&genderCode=2', ['Finder']],
  ['birthdayFrom=03-01&birthdayTo=02-28&genderCode=2', []],
  ['modifiedFrom=2001-01-01&genderCode=2', ['Finder']],
  ['modifiedTo=2001-01-01', []],
  ['createdTo=2001-01-01', []],
  ['createdFrom=2999-01-01', []],
  ['q=zoe', ['Finder']],
  ['q=LOOKUP', ['Finder']],
  ['q=finder@', ['Finder']],
  ['q=8190', ['Finder']],
  ['q=der%40exam', ['Finder']],
  ['q=finder%20zoe&modifiedFrom=2001-01-01', ['Finder']],
  ['q=finder%20zoe&modifiedTo=2001-01-01', []],
  ['q=zoe&role=suspended', []],
  ['emailAddress=finder@example.com&name=zoë&bornTo=1951-01-01&createdFrom=2001-01-01', ['Finder']],
  ['emailAddress=finder@example.com&modifiedTo=2001-01-01', []],
  ['emailAddress=finder@example.com&birthdayFrom=02-28', ['Finder']],
  ['emailAddress=finder@example.com&birthdayFrom=03-01', []],
]
test('each filter finds members, and so does each combination of filters that one index serves', async () => {
  const { memberId } = await createMember(app(), {
    firstName: 'Zoë',
    lastName: 'Finder',
    genderCode: '2',
    dateOfBirth: '1950-02-28',
    emailAddress: 'Finder@example.com',
    telephoneNumber: '+81-90-1234-5678',
    credential: { signId: 'lookup', password: 'open sesame' },
  })
  for (const [query, expected] of found) {
    assert.deepEqual(lastNames(rows(await app()(`GET /members?${query}`))), expected, query)
    const page = await app()(`GET /members?${query}&size=1`)
    expectAnswer(page, { status: 200, shows: { totalElements: expected.length } })
  }
  await app()(`DELETE /members/${memberId}`)
})

const unserved: readonly (readonly [query: string, target: string])[] = [
  ['name=a&createdFrom=2001-01-01', 'createdFrom'],
  ['name=a&modifiedTo=2001-01-01', 'modifiedTo'],
  ['bornFrom=1950-01-01&createdTo=2050-01-01', 'createdTo'],
  ['emailAddress=a*&bornTo=1950-01-01', 'bornTo'],
  ['bornFrom=1950-01-01&birthdayTo=03-01', 'birthdayTo'],
]
table(
  app,
  unserved.map(([query, target]) => ({
    name: `filters that no index serves together are refused: ${query}`,
    request: `GET /members?${query}`,
    ...badName,
    details: [`${target} Pattern`],
  })),
)

table(
  app,
  ['02-30', '13-01', '2-28', '1950-02-28'].map((day) => ({
    name: `a birthday on “${day}” has the wrong type`,
    request: `GET /members?birthdayFrom=${day}`,
    status: 400,
    code: '7006',
    details: ['birthdayFrom TypeMismatch'],
  })),
)

table(app, [
  {
    name: 'a day of birth that is not a date has the wrong type',
    request: 'GET /members?bornFrom=1950-02-30',
    status: 400,
    code: '7006',
    details: ['bornFrom TypeMismatch'],
  },
  {
    name: 'an unknown gender code is refused',
    request: 'GET /members?genderCode=3',
    ...badName,
    details: ['genderCode Pattern'],
  },
  {
    name: 'an empty prefix is refused',
    request: 'GET /members?emailAddress=*',
    ...badName,
    details: ['emailAddress NotEmpty'],
  },
])
