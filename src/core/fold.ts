const ascii = /^[\x20-\x7e]*$/

/**
 * Maps texts that differ only in case or width to the same text, by NFKC and full case folding, whatever their language.
 * Folded texts are stored to keep sign ids unique and to find names, so the result for a text must never change.
 */
export const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : foldUnicode(text))

/**
 * Folds a text for search: Latin, Greek and Cyrillic letters also lose their marks, so `garcia` finds García. Other scripts keep
 * their marks, because か and が are different letters. This result is also stored, so it must never change either.
 */
export const foldForSearch = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : removeMarks(foldUnicode(text))

const removeMarks = (folded: string) => folded.normalize('NFD').replace(markedLetter, '$1').normalize('NFC')

const markedLetter = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mn}+/gu

/** Keeps the dotless ı. Its upper case is I, so `foldCase` would change it to i. */
const foldUnicode = (text: string): string =>
  text.normalize('NFKC').split('ı').map(foldCase).join('ı').normalize('NFKC')

/** Maps to lower, upper and again lower case, because ẞ becomes ss only by way of ß and SS. A final sigma becomes an ordinary one. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
