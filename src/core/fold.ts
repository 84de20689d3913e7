const ascii = /^[\x20-\x7e]*$/

/**
 * Maps texts that differ only in case or width to the same text, by NFKC and full case folding, independently of the language.
 * Folded texts are stored to keep sign ids unique and to find names, so the result for a text must never change.
 */
export const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : foldUnicode(text))

/**
 * Folds a text for search: Latin, Greek and Cyrillic letters also lose their marks, so `garcia` finds García. Other scripts keep
 * theirs, because か and が are different letters. This result is also stored, so it must never change either.
 */
export const foldForSearch = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : unmarked(foldUnicode(text))

const unmarked = (folded: string) => folded.normalize('NFD').replace(markedLetter, '$1').normalize('NFC')

const markedLetter = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mn}+/gu

/** Keeps the dotless i, because its upper case is I but it does not fold to i. */
const foldUnicode = (text: string): string =>
  text.normalize('NFKC').split('ı').map(foldCase).join('ı').normalize('NFKC')

/** Maps to lower, upper and lower case, because ẞ becomes SS only by way of ß. A final sigma folds like any other. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
