import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { birthDateRangeWords, birthdayRangeWords, dayWords } from './day-words.ts'

const between = (from: string, to: string) =>
  fc
    .date({ min: new Date(from), max: new Date(to), noInvalidDate: true })
    .map((one) => one.toISOString().slice(0, 10))

/** Most days are near one another, so that ranges span days, months or years. */
const day = fc.oneof(
  between('0001-01-01', '2100-01-01'),
  between('1949-11-01', '1951-02-01'),
  between('1960-05-01', '1960-06-01'),
)
const dayOfYear = day.map((one) => one.slice(5))
const range = (one: fc.Arbitrary<string>) =>
  fc.record({ from: one, to: one }, { requiredKeys: [] }) as fc.Arbitrary<{ from?: string; to?: string }>

const sharedWordCount = (asked: readonly string[], born: string) => {
  const words = new Set(dayWords(born))
  return asked.filter((word) => words.has(word)).length
}

test('a member born within a range has exactly one of the search words of the range, and every other member has none', () => {
  fc.assert(
    fc.property(range(day), day, ({ from, to }, born) => {
      const isWithin = (from === undefined || born >= from) && (to === undefined || born < to)
      assert.equal(sharedWordCount(birthDateRangeWords({ from, to }), born), isWithin ? 1 : 0)
    }),
    { numRuns: 1000 },
  )
})

test('a member whose birthday is within a range, also one across New Year, has exactly one of the search words of the range, and every other member has none', () => {
  fc.assert(
    fc.property(range(dayOfYear), day, (asked, born) => {
      const { from = '01-01', to = '12-32' } = asked
      const birthday = born.slice(5)
      const isWithin = from <= to ? from <= birthday && birthday < to : from <= birthday || birthday < to
      assert.equal(sharedWordCount(birthdayRangeWords(asked), born), isWithin ? 1 : 0)
    }),
    { numRuns: 1000 },
  )
})

test('a range of ten years has one search word, and the longest range has fewer than two hundred', () => {
  assert.ok(birthDateRangeWords({ from: '0001-01-02', to: '9999-12-31' }).length < 200)
  assert.deepEqual(birthDateRangeWords({ from: '1960-01-01', to: '1970-01-01' }), ['nd196'])
})
