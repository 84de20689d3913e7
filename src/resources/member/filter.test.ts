import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, foldForSearch } from '#core/fold.ts'
import { isDate } from '#core/formats.ts'
import { Problem } from '#core/problem.ts'
import type { TextMatch } from '#http/api/query.ts'
import { serviceActor } from '#ledger/change-log.ts'
import { searchWords } from '#resources/machine/filters.ts'
import { engines } from '#test/engines.ts'
import { memberStoreOn, storedMember } from '#test/stored-members.ts'
import type { MemberFilter } from './filter.ts'
import type { Member } from './schema.ts'

/** Texts of few different characters, so that some of them share prefixes of every length. */
const keyText = fc.string({
  unit: fc.constantFrom('a', 'A', 'é', 'ａ', '%', '*'),
  minLength: 1,
  maxLength: 19,
})
const dayOfYear = fc.constantFrom('01-01', '01-02', '02-28', '02-29', '03-01', '12-30', '12-31')
const day = fc
  .tuple(fc.constantFrom('0004', '1983', '1984', '2000'), dayOfYear)
  .map(([year, day]) => `${year}-${day}`)
  .filter(isDate)
const time = fc.integer({ min: 0, max: 30 })
const genderCode = fc.constantFrom('0' as const, '1' as const, '2' as const)

/** So few different characters that all grams of a needle also occur in names that do not contain it. */
const text = (minLength: number, maxLength: number) =>
  fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'b', 'B', ' ', '%', '_', 'ß', 'á', 'ö', '𠮷', '😀'),
      minLength,
      maxLength,
    }),
    fc.string({ unit: fc.constantFrom('佐', '子', 'ｶ', 'カ', 'ガ', '김', ' '), minLength, maxLength }),
  )

const person = fc.record({
  firstName: text(1, 8),
  lastName: text(1, 8),
  genderCode,
  dateOfBirth: day,
  emailAddress: keyText,
  telephoneNumber: fc.option(keyText),
  createdAt: time,
  lastModifiedAt: time,
})

const count = 150
const members = fc.sample(person, { numRuns: count, seed: 41 }).map((one, number): Member => {
  const credential = { signId: `${one.emailAddress}${number}`, passwordLastChangedAt: 0, lastModifiedAt: 0 }
  return storedMember(number, { ...one, credential })
})

const ordersOf = ({ firstName, lastName }: Member) => [`${firstName} ${lastName}`, `${lastName} ${firstName}`]

const orders = members.flatMap(ordersOf).map((name) => [...name])

/** A piece of a name, unchanged or with another character in it, or any text. */
const needle = fc.oneof(
  text(1, 12),
  fc
    .tuple(fc.nat(orders.length - 1), fc.nat(6), fc.integer({ min: 1, max: 17 }))
    .map(([name, from, length]) => orders[name]?.slice(from, from + length).join('') || 'a'),
  fc
    .tuple(fc.nat(orders.length - 1), fc.nat(16), text(1, 1))
    .map(([name, at, other]) => (orders[name] ?? []).with(at % (orders[name]?.length ?? 1), other).join('')),
  fc.nat(orders.length - 1).map((name) => orders[name]?.filter((one) => one !== ' ').join('') || 'a'),
)

const textMatch = (field: (member: Member) => string | null): fc.Arbitrary<TextMatch> =>
  fc.oneof(
    fc.nat(count - 1).map((at) => ({ text: field(members[at] as Member) ?? 'a', isPrefix: false })),
    keyText.map((text) => ({ text, isPrefix: true })),
  )

const filter: fc.Arbitrary<MemberFilter> = fc.record(
  {
    name: needle,
    q: fc.oneof(needle, keyText),
    emailAddress: textMatch((member) => member.emailAddress),
    signId: textMatch((member) => member.credential.signId),
    telephoneNumber: textMatch((member) => member.telephoneNumber),
    genderCode,
    bornFrom: day,
    bornTo: day,
    birthdayFrom: dayOfYear,
    birthdayTo: dayOfYear,
    createdFrom: time,
    createdTo: time,
    modifiedFrom: time,
    modifiedTo: time,
  },
  { requiredKeys: [] },
)

const nameOnly = needle.map((name): MemberFilter => ({ name }))

/** At most three filters, because few larger combinations are allowed. */
const fewFilters = fc
  .tuple(
    filter,
    fc.subarray(
      [
        'name',
        'q',
        'emailAddress',
        'signId',
        'telephoneNumber',
        'genderCode',
        'bornFrom',
        'bornTo',
        'birthdayFrom',
        'birthdayTo',
        'createdFrom',
        'createdTo',
        'modifiedFrom',
        'modifiedTo',
      ] as const,
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([all, names]): MemberFilter => Object.fromEntries(names.map((one) => [one, all[one]])))

const isNamed = (member: Member, needle: string) =>
  ordersOf(member).some(
    (order) => containsNeedle(order, needle) || containsNeedle(order.replaceAll('ö', 'oe'), needle),
  )

const unspaced = /^[佐子ｶカガ김𠮷]+$/u

/** True if a name contains this text, which may lack the space between the names if such names are written without one. */
const containsNeedle = (order: string, needle: string) => {
  const [name, folded] = [foldForSearch(order), foldForSearch(needle)]
  if (name.includes(folded)) return true
  return unspaced.test(needle) && withSpaces(folded).some((spaced) => name.includes(spaced))
}

const withSpaces = (text: string) =>
  [...text].slice(1).map((_, at) => [...text].toSpliced(at + 1, 0, ' ').join(''))

const matches = (value: string | null, { text, isPrefix }: TextMatch) =>
  value !== null && (isPrefix ? fold(value).startsWith(fold(text)) : fold(value) === fold(text))

/** True if each word is in the name, in the e-mail address (from three characters on), or at the beginning of the sign id. */
const matchesQ = (member: Member, q: string) =>
  searchWords(q).every(
    (word) =>
      isNamed(member, word) ||
      ([...foldForSearch(word)].length > 2 &&
        foldForSearch(member.emailAddress).includes(foldForSearch(word))) ||
      matches(member.credential.signId, { text: word, isPrefix: true }),
  )

const isFound = (member: Member, f: MemberFilter) =>
  (f.name === undefined || isNamed(member, f.name)) &&
  (f.q === undefined || matchesQ(member, f.q)) &&
  (f.emailAddress === undefined || matches(member.emailAddress, f.emailAddress)) &&
  (f.signId === undefined || matches(member.credential.signId, f.signId)) &&
  (f.telephoneNumber === undefined || matches(member.telephoneNumber, f.telephoneNumber)) &&
  (f.genderCode === undefined || member.genderCode === f.genderCode) &&
  isWithin(member.dateOfBirth, f.bornFrom, f.bornTo) &&
  isBirthday(member.dateOfBirth.slice(5), f.birthdayFrom, f.birthdayTo) &&
  isWithin(member.createdAt, f.createdFrom, f.createdTo) &&
  isWithin(member.lastModifiedAt, f.modifiedFrom, f.modifiedTo)

const isWithin = <T extends string | number>(value: T, from: T | undefined, to: T | undefined) =>
  (from === undefined || value >= from) && (to === undefined || value < to)

const isBirthday = (day: string, from = '', to = '~') =>
  from <= to ? isWithin(day, from, to) : day >= from || day < to

const idsOf = (found: readonly Member[]) => found.map(({ memberId }) => memberId)

for (const { name, open, skip } of engines) {
  test(`${name}: every filter that is not refused finds and counts exactly its members, in order of creation`, {
    skip,
  }, async (t) => {
    const store = memberStoreOn(await open(t))
    for (const member of members)
      assert.ok(await store.insert(member, { passwordHash: 'hash' }, serviceActor()))
    let acceptedCount = 0
    const check = async (asked: MemberFilter) => {
      const expected = idsOf(members.filter((member) => isFound(member, asked)))
      const page = await store.page(asked, { number: 0, size: 7, sort: [] })
      assert.deepEqual([idsOf(page.content), page.totalElements], [expected.slice(0, 7), expected.length])
      const second = await store.page(asked, { number: 1, size: 7, sort: [] })
      assert.deepEqual(
        [idsOf(second.content), second.totalElements],
        [expected.slice(7, 14), expected.length],
      )
      const slice = await store.slice(asked, { size: 7, sort: [], after: undefined })
      const rest = slice.next
        ? await store.slice(asked, { size: count, sort: [], after: slice.next })
        : undefined
      assert.deepEqual([...idsOf(slice.content), ...idsOf(rest?.content ?? [])], expected)
      const sorted = await store.page(asked, {
        number: 0,
        size: count,
        sort: [{ property: 'memberId', direction: 'desc' }],
      })
      assert.deepEqual(idsOf(sorted.content), expected.toReversed())
      assert.deepEqual(idsOf((await Array.fromAsync(store.stream(asked))).flat()), expected)
      acceptedCount++
    }
    const refused = (error: unknown) =>
      assert.ok(error instanceof Problem && error.kind === 'parametersInvalid')
    await fc.assert(
      fc.asyncProperty(fc.oneof(fewFilters, filter, nameOnly), (asked) =>
        Promise.resolve()
          .then(() => check(asked))
          .catch((error) => {
            if (error instanceof assert.AssertionError) throw error
            refused(error)
          }),
      ),
      { numRuns: 100 },
    )
    assert.ok(acceptedCount > 15, `only ${acceptedCount} were accepted`)
  })

  test(`${name}: a changed member is found only by its new values, and a deleted member by none`, {
    skip,
  }, async (t) => {
    const store = memberStoreOn(await open(t))
    const member = storedMember(1, { genderCode: '1' })
    await store.insert(member, { passwordHash: 'hash' }, serviceActor())
    const found = async (asked: MemberFilter) =>
      (await store.page(asked, { number: 0, size: 1, sort: [] })).totalElements
    const whole = (text: string) => ({ text, isPrefix: false })
    const changes: readonly (readonly [Partial<Member>, MemberFilter])[] = [
      [{ firstName: 'Zenobia' }, { name: 'zenobia' }],
      [{ lastName: 'Quill' }, { name: 'quill zen' }],
      [{ emailAddress: 'new@example.com' }, { emailAddress: whole('new@example.com') }],
      [{ telephoneNumber: '090' }, { telephoneNumber: whole('090') }],
      [{ genderCode: '2' }, { genderCode: '2', name: 'zen' }],
      [{ dateOfBirth: '1950-12-31' }, { q: 'zen', bornTo: '1951-01-01' }],
    ]
    let next = member
    for (const [change, asked] of changes) {
      next = { ...next, ...change, version: next.version + 1 }
      assert.ok(await store.replace(next, Object.keys(change), serviceActor()))
      assert.equal(await found(asked), 1, JSON.stringify(asked))
    }
    const withNewSignId = {
      ...next,
      credential: { ...next.credential, signId: 'newcomer' },
      version: next.version + 1,
    }
    assert.equal(
      await store.replaceCredential(
        withNewSignId,
        { passwordHash: 'hash', changed: ['credential.signId'] },
        serviceActor(),
      ),
      'done',
    )
    const table: readonly [MemberFilter, number][] = [
      [{ emailAddress: whole('NEW@example.com') }, 1],
      [{ emailAddress: whole(member.emailAddress) }, 0],
      [{ telephoneNumber: whole('090') }, 1],
      [{ signId: whole('Newcomer') }, 1],
      [{ signId: { text: 'newco', isPrefix: true } }, 1],
      [{ signId: { text: member.credential.signId, isPrefix: true } }, 0],
      [{ q: 'newcomer' }, 1],
      [{ q: 'new@ex' }, 1],
      [{ genderCode: '2' }, 1],
      [{ genderCode: '1' }, 0],
    ]
    for (const [asked, total] of table) assert.equal(await found(asked), total, JSON.stringify(asked))
    await store.remove(member.memberId, { expectedVersion: undefined, actor: serviceActor() })
    for (const [asked] of table) assert.equal(await found(asked), 0)
  })

  test(`${name}: q tolerates what people type`, { skip }, async (t) => {
    const store = memberStoreOn(await open(t))
    const people = [
      { firstName: 'Jürgen', lastName: 'Müller', telephoneNumber: '+49 (0)30 1234-567' },
      { firstName: 'Shane', lastName: "O'Neill", telephoneNumber: '030 1234567' },
      { firstName: '花子', lastName: '髙橋', emailAddress: "hanako.o'hara@mail.example.jp" },
      { firstName: 'Anna Maria', lastName: 'Muller', telephoneNumber: '0039 06 69812345' },
    ]
    for (const [at, one] of people.entries())
      await store.insert(storedMember(at, one), { passwordHash: 'hash' }, serviceActor())
    for (const [q, expected] of asked) {
      const page = await store.page({ q }, { number: 0, size: 9, sort: [] })
      const found = page.content.map(({ createdAt }) => createdAt)
      assert.deepEqual([found, page.totalElements], [expected, expected.length], q)
      const combined = await store.page(
        { q, createdFrom: 1, genderCode: '1' },
        { number: 0, size: 9, sort: [] },
      )
      const rest = expected.filter((number) => number >= 1)
      assert.equal(combined.totalElements, rest.length, q)
    }
    const [, member] = (await store.page({ q: 'neill' }, { number: 0, size: 9, sort: [] })).content
    assert.equal(member, undefined)
    const third = storedMember(2, people[2])
    assert.ok(await store.replaceRole({ ...third, version: 2 }, 'suspended', serviceActor()))
    const suspended = async (q: string) =>
      (await store.page({ q, role: 'suspended' }, { number: 0, size: 9, sort: [] })).totalElements
    assert.deepEqual(
      [await suspended('高橋'), await suspended('john2'), await suspended('müller')],
      [1, 1, 0],
    )
  })
}

/** Search texts, and the members that they find. */
const asked: readonly (readonly [string, readonly number[]])[] = [
  ['mueller', [0]],
  ['Müller', [0, 3]],
  ['juergen', [0]],
  ['oneill', [1]],
  ['o’neill', [1]],
  ["O'NEILL shane", [1]],
  ['高橋', [2]],
  ['髙橋花子', [2]],
  ['muller maria anna', [3]],
  ['anna shane', []],
  ['l.example', [2]],
  ['ohara@mail', [2]],
  ['john@', [0, 1, 3]],
  ['030 1234', [0, 1]],
  ['+49 30 1234567', [0, 1]],
  ['004930123', [0, 1]],
  ['49301234567', [0]],
  ['1234-567', [0, 1]],
  ['+39 06 698', [3]],
  ['06-69812', [3]],
  ['john3', [3]],
  ['hn3', []],
]
