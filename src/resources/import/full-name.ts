import { lettersAndDigitsOf } from '#core/foreign-files.ts'

/** The order of the names in a column of full names. */
export const nameOrders = ['last first', 'first last', 'last, first'] as const

export type NameOrder = (typeof nameOrders)[number]

export const isNameOrder = (text: string | null): text is NameOrder =>
  (nameOrders as readonly (string | null)[]).includes(text)

/** Headings of columns with full names. */
export const fullNameWords: ReadonlySet<string> = new Set(
  `name, full name, display name, employee, employee name, member name, contact, contact name, first and last name, last name first name,
  氏名, お名前, 名前, 姓名, 会員名, 会員氏名, 社員名, 漢字氏名, Vor- und Nachname, Vorname und Nachname, Vorname Nachname, Nachname Vorname,
  Mitarbeiter, Mitarbeitername, Mitglied, nom complet, nom et prénom, nom prénom, nombre completo, nombre y apellidos`
    .split(',')
    .map(lettersAndDigitsOf),
)

const asian = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** Guesses the order of these full names from commas and the script. */
export const guessNameOrder = (names: readonly string[]): NameOrder => {
  const mostMatch = (shape: RegExp) => names.filter((name) => shape.test(name)).length * 2 > names.length
  if (mostMatch(/[,，、]/)) return 'last, first'
  return mostMatch(asian) ? 'last first' : 'first last'
}

/** Salutations, which are removed from names. */
const salutation = /^(?:herrn?|frau|mrs?|ms|miss)\b\.?\s+|\s*(?:様|さん|殿)$/giu

/** A last name can begin with these words. */
const particle = /^(?:von|van|vom|zu|zur|de|den|der|del|della|di|da|dos|du|la|le|el|al|bin|ibn|ten|ter)$/i

/** Splits a full name. The first name is null if the text has only one word. */
export const splitName = (
  text: string,
  order: NameOrder,
): { readonly lastName: string; readonly firstName: string | null } => {
  const name = text.replace(salutation, '').trim()
  const pieces = name.split(/[,，、]/).map((piece) => piece.trim())
  if (order === 'last, first') return toNames(pieces, ', ')
  const words = name.split(/\s+/)
  if (order === 'last first') return toNames(words, ' ')
  const at = words.findIndex((word, index) => index > 0 && particle.test(word))
  const [first, last] =
    at > 0 && at < words.length - 1
      ? [words.slice(0, at), words.slice(at)]
      : [words.slice(0, -1), words.slice(-1)]
  return { lastName: last.join(' '), firstName: first.join(' ') || null }
}

const toNames = ([lastName = '', ...rest]: readonly string[], between: string) => ({
  lastName,
  firstName: rest.join(between) || null,
})
