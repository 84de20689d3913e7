import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember } from './creating.ts'
import {
  type Body,
  body,
  content,
  expectAnswer,
  header,
  prepare,
  type Row,
  rows,
  service,
  table,
} from './table.ts'

const app = service()
const names: readonly (readonly [string, string])[] = [
  ['Alice', 'Adams'],
  ['Bob', 'Brown'],
  ['Ｆｒａｎｋ', 'Ford'],
  ['Günther', 'Groß'],
  ['Ren\u00e9', 'Roux'],
  ['100%', 'Percent'],
  ['under_score', 'Line'],
  ['back\\slash', 'Stroke'],
  ["O'Neil", 'Quote'],
  ['太郎', '山田'],
  ['ｶﾞｷﾞ', 'Katakana'],
  ['Alice', 'Zander'],
  ['Anna', 'Weiss'],
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

test('signId matches a whole sign id, ignoring case: unpaged, by page and by cursor', async () => {
  const bob = members[1] ?? {}
  const request = `GET /members?signId=${String(bob.emailAddress).toUpperCase()}`
  assert.deepEqual(rows(await app()(request)), [bob])
  const page = await app()(`${request}&page=0`)
  assert.deepEqual(content(page), [bob])
  expectAnswer(page, { status: 200, shows: { totalElements: 1 }, answers: { 'x-total-count': '1' } })
  assert.deepEqual(content(await app()(`${request}&cursor=&size=5`)), [bob])
  assert.deepEqual(rows(await app()(`${request}x`)), [])
})

const finds: readonly (readonly [string, string, readonly string[]])[] = [
  ['part of the first name', 'lic', ['Adams', 'Zander']],
  ['part of the last name', 'dam', ['Adams']],
  ['members regardless of case', 'ALICE', ['Adams', 'Zander']],
  ['the first name followed by the last name', 'Alice Adams', ['Adams']],
  ['the last name followed by the first name', 'adams alice', ['Adams']],
  ['a part that spans the space', 'e z', ['Zander']],
  ['a full-width name by ASCII letters', 'frank', ['Ford']],
  ['a full-width name by full-width letters', 'ｆｒａｎｋ', ['Ford']],
  ['an ASCII name by full-width letters', 'Ａｄａｍｓ', ['Adams']],
  ['ß by ss', 'gross', ['Groß']],
  ['ß by SS', 'GROSS', ['Groß']],
  ['ss by ß', 'weiß', ['Weiss']],
  ['a composed letter by its decomposed form', 'rene\u0301', ['Roux']],
  ['a composed letter by its capital', 'REN\u00c9', ['Roux']],
  ['an accented name without its accents', 'gunther', ['Groß']],
  ['an accented letter by another accent', 'rêne', ['Roux']],
  ['nobody by katakana without its dakuten', 'カキ', []],
  ['half-width katakana by full-width katakana', 'ガギ', ['Katakana']],
  ['non-Latin letters', '山田', ['山田']],
  ['a Japanese name with a space, last name first', '山田 太郎', ['山田']],
  ['a Japanese name without a space, last name first', '山田太郎', ['山田']],
  ['a part that spans the missing space of a Japanese name', '田太', ['山田']],
  ['nobody by a Latin name without its space', 'AliceAdams', []],
  ['a literal percent sign', '%', ['Percent']],
  ['a literal percent sign after another character', '0%', ['Percent']],
  ['nobody by % as a wildcard', 'A%s', []],
  ['a literal underscore', '_', ['Line']],
  ['nobody by _ as a wildcard', 'Al_ce', []],
  ['a literal backslash', '\\', ['Stroke']],
  ['nobody by a backslash as an escape', '\\%', []],
  ['a literal apostrophe', "'", ['Quote']],
  ['nobody by injected SQL', "' OR '1'='1", []],
  ['nobody by * as a wildcard', 'Al*', []],
  ['nobody by an unknown name', 'nobody', []],
  ['nobody by a name of 128 letters', 'x'.repeat(128), []],
  ['nobody by a name of 128 code points outside the BMP', '🐈'.repeat(128), []],
]
for (const [what, name, expected] of finds) {
  test(`name finds ${what}`, async () => {
    const answer = await app()(search(name))
    expectAnswer(answer, { status: 200 })
    assert.deepEqual(lastNames(rows(answer)), expected)
  })
}

test('name finds the same in pages, and the totals count the matches', async () => {
  const answer = await app()(`${search('alice')}&page=0&size=1&sort=lastName,desc`)
  expectAnswer(answer, {
    status: 200,
    shows: {
      totalElements: 2,
      totalPages: 2,
      size: 1,
      number: 0,
      numberOfElements: 1,
      first: true,
      last: false,
    },
    answers: { 'x-total-count': '2' },
  })
  assert.deepEqual(lastNames(content(answer)), ['Zander'])
})

test('without matches, every page requested is empty and both the first and the last', async () => {
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

test('name finds the same by cursor', async () => {
  const answer = await app()(`${search('alice')}&cursor=&size=5`)
  expectAnswer(answer, { status: 200, shows: { numberOfElements: 2 } })
  assert.deepEqual(lastNames(content(answer)), ['Adams', 'Zander'])
})

const badName = {
  status: 400,
  code: '7002',
  message: 'Validation error occurred on item in the request parameters.',
}
const refused: Row[] = [
  { name: 'an empty name is refused', request: 'GET /members?name=', ...badName, details: ['name NotEmpty'] },
  {
    name: 'an empty name is refused in pages',
    request: 'GET /members?name=&page=0',
    ...badName,
    details: ['name NotEmpty'],
  },
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
    name: 'a name of 129 characters is refused in pages',
    request: `${search('x'.repeat(129))}&page=0`,
    ...badName,
    details: ['name Size'],
  },
  {
    name: 'a name given twice is refused',
    request: 'GET /members?name=a&name=b',
    ...badName,
    targets: ['name'],
  },
  {
    name: 'an unknown sort property is refused',
    request: 'GET /members?sort=nickname',
    ...badName,
    details: ['sort Pattern'],
  },
  {
    name: 'sorting by password is refused',
    request: 'GET /members?sort=password',
    ...badName,
    details: ['sort Pattern'],
  },
  {
    name: 'sorting by the internal version is refused',
    request: 'GET /members?sort=version',
    ...badName,
    details: ['sort Pattern'],
  },
]
table(app, refused)

test('the next link of a search keeps the name', async () => {
  const answer = await app()(`${search('alice')}&page=0&size=1`)
  assert.match(header(answer, 'link'), /rel="?next"?/)
  const links = body(answer).links as { rel: string; href: string }[]
  const next = links.find((link) => link.rel === 'next')?.href ?? ''
  const second = await app()(`GET ${next.slice(`${app().url}/api/v1`.length)}`)
  assert.deepEqual(lastNames(content(second)), ['Zander'])
})

test('members are filtered by createdFrom (inclusive) and createdTo (exclusive)', async () => {
  const third = String(members[2]?.createdAt)
  const from = rows(await app()(`GET /members?createdFrom=${third}`))
  const to = rows(await app()(`GET /members?createdTo=${third}`))
  const early = members.filter((row) => String(row.createdAt) < third)
  assert.deepEqual(to, early)
  assert.deepEqual(from, members.slice(early.length))
})

const found: readonly (readonly [query: string, lastNames: readonly string[]])[] = [
  ['emailAddress=FINDER@example.com', ['Finder']],
  ['emailAddress=finder*', ['Finder']],
  ['emailAddress=finder', []],
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
  ['q=zoe', ['Finder']],
  ['q=LOOKUP', ['Finder']],
  ['q=finder@', ['Finder']],
  ['q=%2B81-90', ['Finder']],
  ['q=example.com', []],
  ['emailAddress=finder@example.com&name=zoë&bornTo=1951-01-01&createdFrom=2001-01-01', ['Finder']],
  ['emailAddress=finder@example.com&modifiedTo=2001-01-01', []],
  ['emailAddress=finder@example.com&birthdayFrom=02-28', ['Finder']],
  ['emailAddress=finder@example.com&birthdayFrom=03-01', []],
]
test('members are found by each filter, and by those that an index serves together', async () => {
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
  ['q=a&modifiedTo=2001-01-01', 'modifiedTo'],
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
  ['02-30', '04-31', '13-01', '00-10', '2-28', '1950-02-28', '--02-28', ''].map((day) => ({
    name: `a birthday on “${day}” has the wrong type`,
    request: `GET /members?birthdayFrom=${day}`,
    status: 400,
    code: '7006',
    details: ['birthdayFrom TypeMismatch'],
  })),
)

table(app, [
  {
    name: 'a day of birth that is no date has the wrong type',
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
    name: 'the beginning of nothing is refused',
    request: 'GET /members?emailAddress=*',
    ...badName,
    details: ['emailAddress NotEmpty'],
  },
])

test('a search finds a member by its new name only, and no longer once it is deleted', async () => {
  const {
    memberId,
    credential: _,
    ...rest
  } = await createMember(app(), { firstName: 'Former', lastName: 'Name' })
  await app()(`PUT /members/${memberId}`, { ...rest, firstName: 'Latter' })
  assert.deepEqual(rows(await app()(search('former'))), [])
  assert.equal(rows(await app()(search('latter'))).length, 1)
  await app()(`DELETE /members/${memberId}`)
  assert.deepEqual(rows(await app()(search('latter'))), [])
})

test('members can be sorted by several properties', async () => {
  const answer = await app()('GET /members?name=a&sort=firstName&sort=lastName,desc&size=50')
  const found = content(answer).filter((row) => row.firstName === 'Alice')
  assert.deepEqual(lastNames(found), ['Zander', 'Adams'])
})
