import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldForSearch } from '#core/fold.ts'
import { engines } from '#test/engines.ts'
import { keptMember, storeOn } from '#test/kept-members.ts'

/** So few characters that a needle's grams also occur, side by side, in names that do not contain the needle. */
const text = (minLength: number, maxLength: number) =>
  fc.oneof(
    fc.string({
      unit: fc.constantFrom('a', 'b', 'B', ' ', '%', '_', 'ß', 'á', 'ö', '𠮷', '😀'),
      minLength,
      maxLength,
    }),
    fc.string({ unit: fc.constantFrom('佐', '子', 'ｶ', 'カ', 'ガ', '김', ' '), minLength, maxLength }),
  )

const names = fc.sample(fc.tuple(text(1, 8), text(1, 8)), { numRuns: 200, seed: 21 })
const needleCount = 400

const ordersOf = ([firstName, lastName]: readonly [string, string]) => [
  `${firstName} ${lastName}`,
  `${lastName} ${firstName}`,
]

const orders = names.flatMap(ordersOf).map((name) => [...name])

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

const unspaced = /^[佐子ｶカガ김𠮷]+$/u

/** Whether a name contains a needle. The needle may lack the space between first and last name if such names are written without one. */
const holds = (order: string, needle: string) => {
  const [name, sought] = [foldForSearch(order), foldForSearch(needle)]
  if (name.includes(sought)) return true
  return unspaced.test(needle) && places(sought).some((spaced) => name.includes(spaced))
}

const places = (text: string) =>
  [...text].slice(1).map((_, at) => [...text].toSpliced(at + 1, 0, ' ').join(''))

for (const { name, open, skip } of engines) {
  test(`${name}: a needle finds and counts exactly the names that contain it, in either order`, {
    skip,
  }, async (t) => {
    const store = storeOn(await open(t))
    const numbers = names.map((_, number) => number)
    for (const number of numbers) await store.insert(member(number), 'hash')
    await fc.assert(
      fc.asyncProperty(needle, async (needle) => {
        const isHit = (name: readonly [string, string]) =>
          ordersOf(name).some((order) => holds(order, needle))
        const expected = numbers.filter((number) => isHit(names[number] ?? ['', '']))
        const page = await store.page({ name: needle }, { number: 0, size: names.length, sort: [] })
        assert.deepEqual(page.content.map(({ createdAt }) => createdAt).sort(byNumber), expected)
        assert.equal(page.totalElements, expected.length)
        const since = await store.page(
          { name: needle, emailAddress: everybody, createdFrom: 100 },
          { number: 0, size: 1, sort: [] },
        )
        assert.equal(since.totalElements, expected.filter((number) => number >= 100).length)
      }),
      { numRuns: needleCount },
    )
  })
}

/** All have the same. */
const everybody = { text: 'john@example.com', isBeginning: false }

const byNumber = (one: number, other: number) => one - other

const member = (number: number) => {
  const [firstName, lastName] = names[number] ?? ['', '']
  return keptMember(number, { firstName, lastName })
}
