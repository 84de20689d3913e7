import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMember } from './people.ts'
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
]
const members: Body[] = []
prepare(async () => {
  for (const [firstName, lastName] of names) members.push(await createMember(app(), { firstName, lastName }))
})

const lastNames = (found: readonly Body[]): unknown[] => found.map((row) => row.lastName)
const search = (name: string): string => `GET /members?name=${encodeURIComponent(name)}`

test('the unpaged list has all members in full, in the order of their creation', async () => {
  const answer = await app()('GET /members')
  expectAnswer(answer, { status: 200, answers: { 'content-type': /^application\/json/ } })
  assert.deepEqual(answer.body, members)
})

test('signId finds the one member who signs in so, whole, by pages and by a cursor', async () => {
  const bob = members[1] ?? {}
  const asked = `GET /members?signId=${String(bob.emailAddress).toUpperCase()}`
  assert.deepEqual(rows(await app()(asked)), [bob])
  const page = await app()(`${asked}&page=0`)
  assert.deepEqual(content(page), [bob])
  expectAnswer(page, { status: 200, shows: { totalElements: 1 }, answers: { 'x-total-count': '1' } })
  assert.deepEqual(content(await app()(`${asked}&cursor=&size=5`)), [bob])
  assert.deepEqual(rows(await app()(`${asked}x`)), [])
})

const finds: readonly (readonly [string, string, readonly string[]])[] = [
  ['a part of the first name', 'lic', ['Adams', 'Zander']],
  ['a part of the last name', 'dam', ['Adams']],
  ['whatever the case', 'ALICE', ['Adams', 'Zander']],
  ['first and last name', 'Alice Adams', ['Adams']],
  ['last and first name', 'adams alice', ['Adams']],
  ['across the space', 'e z', ['Zander']],
  ['a wide name by a narrow one', 'frank', ['Ford']],
  ['a wide name by a wide one', 'ｆｒａｎｋ', ['Ford']],
  ['a narrow name by a wide one', 'Ａｄａｍｓ', ['Adams']],
  ['ß by ss', 'gross', ['Groß']],
  ['ß by a capital SS', 'GROSS', ['Groß']],
  ['ss by ß is not there', 'weiß', []],
  ['a composed letter by its parts', 'rene\u0301', ['Roux']],
  ['a composed letter in capitals', 'REN\u00c9', ['Roux']],
  ['half-width katakana by full-width', 'ガギ', ['Katakana']],
  ['letters outside Latin', '山田', ['山田']],
  ['last and first name outside Latin', '山田 太郎', ['山田']],
  ['last and first name without a space', '山田太郎', ['山田']],
  ['a piece of them without a space', '田太', ['山田']],
  ['no space that is missing in Latin', 'AliceAdams', []],
  ['the percent sign as a letter', '%', ['Percent']],
  ['the percent sign among others', '0%', ['Percent']],
  ['no wildcard by percent', 'A%s', []],
  ['the underscore as a letter', '_', ['Line']],
  ['no wildcard by underscore', 'Al_ce', []],
  ['the backslash as a letter', '\\', ['Stroke']],
  ['no escape by backslash', '\\%', []],
  ['the quote as a letter', "'", ['Quote']],
  ['no SQL', "' OR '1'='1", []],
  ['no pattern', 'Al*', []],
  ['nobody', 'nobody', []],
  ['128 letters', 'x'.repeat(128), []],
  ['128 code points', '🐈'.repeat(128), []],
]
for (const [what, name, expected] of finds) {
  test(`name finds ${what}`, async () => {
    const answer = await app()(search(name))
    expectAnswer(answer, { status: 200 })
    assert.deepEqual(lastNames(rows(answer)), expected)
  })
}

test('name finds the same in pages, and counts it', async () => {
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

test('no hits are an empty page, first and last at once, whatever page was asked for', async () => {
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
    name: `a signId of ${signId.length} is refused`,
    request: `GET /members?signId=${signId}`,
    ...badName,
    details: [`signId ${code}`],
  })),
  { name: 'a name of 129 is refused', request: search('x'.repeat(129)), ...badName, details: ['name Size'] },
  {
    name: 'a name of 129 is refused in pages',
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
    name: 'sorting by what no one may see is refused',
    request: 'GET /members?sort=password',
    ...badName,
    details: ['sort Pattern'],
  },
  {
    name: 'sorting by the version is refused',
    request: 'GET /members?sort=version',
    ...badName,
    details: ['sort Pattern'],
  },
]
table(app, refused)

test('a found name goes on to be found in the links of its pages', async () => {
  const answer = await app()(`${search('alice')}&page=0&size=1`)
  assert.match(header(answer, 'link'), /rel="?next"?/)
  const links = body(answer).links as { rel: string; href: string }[]
  const next = links.find((link) => link.rel === 'next')?.href ?? ''
  const second = await app()(`GET ${next.slice(`${app().url}/api/v1`.length)}`)
  assert.deepEqual(lastNames(content(second)), ['Zander'])
})

test('members are found by the time of their creation', async () => {
  const third = String(members[2]?.createdAt)
  const from = rows(await app()(`GET /members?createdFrom=${third}`))
  const to = rows(await app()(`GET /members?createdTo=${third}`))
  const early = members.filter((row) => String(row.createdAt) < third)
  assert.deepEqual(to, early)
  assert.deepEqual(from, members.slice(early.length))
})

test('a changed name is found, the former one no longer', async () => {
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

test('members are sorted by several properties', async () => {
  const answer = await app()('GET /members?name=a&sort=firstName&sort=lastName,desc&size=50')
  const found = content(answer).filter((row) => row.firstName === 'Alice')
  assert.deepEqual(lastNames(found), ['Zander', 'Adams'])
})
