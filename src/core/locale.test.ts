import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Locale, locales, lookupLocale } from './locale.ts'

const cases: [header: string | undefined, fallback: Locale, expected: Locale][] = [
  [undefined, 'en', 'en'],
  ['', 'ja', 'ja'],
  ['ja', 'en', 'ja'],
  ['JA', 'en', 'ja'],
  ['ja-JP', 'en', 'ja'],
  ['ja-JP-x-kansai', 'en', 'ja'],
  ['fr, ja', 'en', 'ja'],
  ['fr', 'ja', 'ja'],
  ['en, ja', 'ja', 'en'],
  ['en;q=0.5, ja', 'en', 'ja'],
  ['en;q=0.5 , ja;q=0.501', 'en', 'ja'],
  ['ja ; q=0.8, en;q=0.7', 'en', 'ja'],
  ['fr, ja;q=0.1, de;q=0.9', 'en', 'ja'],
  ['*', 'ja', 'ja'],
  ['*, ja;q=0', 'ja', 'en'],
  ['ja;q=0', 'en', 'en'],
  ['ja;q=0.2, *', 'ja', 'en'],
  ['en;q=0.2, *;q=0.1', 'ja', 'en'],
  ['ja-JP, ja;q=0', 'en', 'en'],
  ['ja-JP;q=0', 'en', 'en'],
  ['ja;q=2, en', 'ja', 'en'],
  ['ja;q=1.5, en', 'ja', 'en'],
  ['ja;q=x, en', 'ja', 'en'],
  ['jargon, en', 'ja', 'en'],
  ['ja_JP, en', 'ja', 'en'],
  [',,;, ;q=1,ja', 'en', 'ja'],
  ['en;q=1.000, ja;q=1.000', 'ja', 'en'],
]

for (const [header, fallback, expected] of cases) {
  test(`'${header}' with the fallback ${fallback} selects ${expected}`, () => {
    assert.equal(lookupLocale(header, fallback), expected)
  })
}

test('every header selects a supported language, even a malformed one', () => {
  fc.assert(fc.property(fc.string(), (header) => locales.includes(lookupLocale(header, 'en'))))
})

test('only the first 64 ranges of a header are read', () => {
  assert.equal(lookupLocale(`${'fr,'.repeat(63)}ja`, 'en'), 'ja')
  assert.equal(lookupLocale(`${'fr,'.repeat(64)}ja`, 'en'), 'en')
})
