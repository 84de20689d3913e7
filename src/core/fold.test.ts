import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fold, foldForSearch } from './fold.ts'

const equalPairs: [string, string][] = [
  ['John', 'jOHN'],
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς'],
  ['οδυσσευσ', 'οδυσσευς'],
  ['İ', 'i\u0307'],
  ['I\u0307', 'İ'],
  ['ﬁ', 'FI'],
  ['ＪＯＨＮ', 'john'],
  ['ﾀﾛｳ', 'タロウ'],
  ['ｶﾞ', 'ガ'],
  ['e\u0301', 'É'],
  ['\u212a', 'k'],
  ['ſ', 's'],
  ['ᾳ', 'ΑΙ'],
  ['㍻', '平成'],
  ['Ꭰ', 'ꭰ'],
  ['𐐀', '𐐨'],
]

for (const [one, other] of equalPairs) {
  test(`'${one}' and '${other}' fold to the same text`, () => {
    assert.equal(fold(one), fold(other))
  })
}

const distinctPairs: [string, string][] = [
  ['ı', 'i'],
  ['e', 'é'],
  ['か', 'が'],
  ['a', 'а'],
  ['', ' '],
]

for (const [one, other] of distinctPairs) {
  test(`'${one}' and '${other}' fold to different texts`, () => {
    assert.notEqual(fold(one), fold(other))
  })
}

/** Without the unified ideographs, a hundred thousand characters that have no case and no other form. */
const allCharacters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => !/[\p{Unassigned}\p{Private_Use}\p{Surrogate}\p{Unified_Ideograph}]/u.test(character),
)

test('folding is idempotent for every character', () => {
  for (const character of allCharacters) assert.equal(fold(fold(character)), fold(character))
})

test('every character except the dotless i folds like its lower and upper case', () => {
  for (const character of allCharacters) {
    if (character === 'ı') continue
    assert.equal(fold(character.toLowerCase()), fold(character))
    assert.equal(fold(character.toUpperCase()), fold(character))
  }
})

const tricky = fc.string({ unit: fc.constantFrom(...'ΣσςİIiıßẞǰΐᾳ\u0345\u0301\u0307ʼŉﬁﾞｶaA '), maxLength: 12 })

test('folding is idempotent for arbitrary text', () => {
  const text = fc.oneof(tricky, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(text, (sample) => fold(fold(sample)) === fold(sample)),
    { numRuns: 4_000 },
  )
})

const foundPairs: [string, string][] = [
  ['García', 'garcia'],
  ['Nguyễn Thị', 'nguyen thi'],
  ['İstanbul', 'istanbul'],
  ['Ζωή', 'ζωη'],
  ['Жёлтый', 'желтыи'],
  ['x\u0301\u0323', 'x'],
]

for (const [name, needle] of foundPairs) {
  test(`for search, '${name}' and '${needle}' fold to the same text`, () => {
    assert.equal(foldForSearch(name), foldForSearch(needle))
  })
}

const keptApart: [string, string][] = [
  ['か', 'が'],
  ['ハ', 'パ'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ı', 'i'],
  ['कि', 'क'],
  ['שּׁ', 'ש'],
]

for (const [one, other] of keptApart) {
  test(`for search, '${one}' and '${other}' fold to different texts`, () => {
    assert.notEqual(foldForSearch(one), foldForSearch(other))
  })
}

test('folding for search is idempotent, and gives the same result after folding', () => {
  for (const character of allCharacters)
    for (const text of [character, `a${character}`]) {
      assert.equal(foldForSearch(foldForSearch(text)), foldForSearch(text))
      assert.equal(foldForSearch(fold(text)), foldForSearch(text))
    }
})
