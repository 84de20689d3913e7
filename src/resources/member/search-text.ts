import { foldForSearch } from '#core/fold.ts'
import type { Member } from './schema.ts'

/** Separates the forms of a searchable text. Neither names nor searches can contain it. */
const separator = '\u001f'

/** The text that a search by name looks through: both orders of the name, without case, width, accents and apostrophes, also with ü as `ue`. */
export const searchableName = ({ firstName, lastName }: Pick<Member, 'firstName' | 'lastName'>) => {
  const orders = [`${firstName} ${lastName}`, `${lastName} ${firstName}`].map((one) => one.normalize('NFKC'))
  const spelledOut = orders.map((one) =>
    one.replace(/[äöüøåæœ]/gi, (letter) => asciiSpelling[letter.toLowerCase()] ?? letter),
  )
  // The last form keeps the apostrophes, because a search text may consist only of apostrophes.
  const forms = [orders.map(foldForNames), spelledOut.map(foldForNames), orders.map(foldForSearch)]
  return [...new Set(forms.map((form) => form.join(separator)))].join(separator)
}

const asciiSpelling: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ø: 'oe',
  å: 'aa',
  æ: 'ae',
  œ: 'oe',
}

/** Pairs of a rare and the usual form of a character in Japanese names. Each form also finds the other. */
const characterForms = '髙高﨑崎邉辺邊辺濵浜濱浜齋斎齊斉澤沢廣広國国眞真嶋島槗橋栁柳德徳櫻桜瀨瀬𠮷吉'
const usualForm = new Map(characterForms.match(/../gu)?.map(([rare = '', usual = '']) => [rare, usual]))

/** Folds a name for search: without apostrophes, and with the usual form of each character. */
export const foldForNames = (text: string) => {
  const folded = foldForSearch(text)
  const plain = folded.replace(/['’‘ʼ`´]/g, '').replace(/\p{sc=Han}/gu, (one) => usualForm.get(one) ?? one)
  return plain || folded
}

/** The text that `q` looks through: the name, the e-mail address, and the digits of the telephone number. */
export const searchableText = ({ emailAddress, telephoneNumber, ...name }: SearchableFields) =>
  [searchableName(name), foldForNames(emailAddress), searchableDigits(telephoneNumber ?? '')].join(separator)

/** Texts that many members share, so that a search for one finds many members. */
export const nameWordsAndDomain = (member: SearchableFields) => ({
  nameWords: new Set(
    searchableName(member)
      .split(separator)
      .flatMap((order) => order.split(' ')),
  ),
  domain: foldForNames(member.emailAddress).split('@').at(-1) ?? '',
})

export type SearchableFields = Pick<Member, 'firstName' | 'lastName' | 'emailAddress' | 'telephoneNumber'>

/** A number with a calling code, which has one to three digits. */
const internationalNumber =
  /^\s*(?:\+|00)(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(.+)$/

/** A number with a calling code is found with the code, with a zero instead, and with both. */
const searchableDigits = (telephoneNumber: string) => {
  const [, country = '', rest = telephoneNumber] =
    internationalNumber.exec(plainNumber(telephoneNumber)) ?? []
  const national = rest.replace(/\D/g, '').replace(/^0/, '')
  if (national === '') return ''
  return country === '' ? `0${national}` : `${country}0${national}${separator}${country}${national}`
}

const plainNumber = (text: string) => text.normalize('NFKC').replace(/\(0\)|[^\d+]/g, '')

/** The forms of the digits in `q`. A number with a calling code also finds stored numbers without one. */
export const queryDigits = (text: string): readonly string[] => {
  if (!telephonePattern.test(text.normalize('NFKC'))) return []
  const [, country = '', national] = internationalNumber.exec(plainNumber(text)) ?? []
  if (national === undefined) return [plainNumber(text).replace('+', '')]
  return [country, separator].map((prefix) => `${prefix}0${national.replace(/^0/, '')}`)
}

/** A telephone number, as people write one. */
export const telephonePattern = /^[\d\s()+./\-‐–]+$/
