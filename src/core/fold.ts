const ascii = /^[\x20-\x7e]*$/

/**
 * Maps texts that differ only in case or width to the same text: NFKC and full case folding, whatever the language.
 * Folds are stored, to keep sign ids unique and to find names, so the result for a text must never change.
 */
export const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : foldUnicode(text))

/**
 * Folds a text for search alone: letters of Latin, Greek and Cyrillic also lose their marks, so `garcia` finds García. Other
 * scripts keep theirs: か and が are different letters. Stored as well, so this result must never change either.
 */
export const foldForSearch = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : unmarked(foldUnicode(text))

const unmarked = (folded: string) => folded.normalize('NFD').replace(markedLetter, '$1').normalize('NFC')

const markedLetter = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{Mn}+/gu

/** The dotless i is the one exception: its upper case is I, but it does not fold to i. */
const foldUnicode = (text: string): string =>
  text.normalize('NFKC').split('ı').map(foldCase).join('ı').normalize('NFKC')

/** Lower, upper and lower again: ẞ becomes SS only by way of ß. A final sigma folds like any other. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
