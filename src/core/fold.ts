const ascii = /^[\x20-\x7e]*$/

/**
 * The same for texts that differ only in case or width: NFKC and full case folding, whatever the language.
 * Sign ids are unique by it and names are found by it, so a stored fold must never change its meaning.
 */
export const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : foldUnicode(text))

/** Only the dotless i is apart: its upper case is I, but it does not fold to i. */
const foldUnicode = (text: string): string =>
  text.normalize('NFKC').split('ı').map(foldCase).join('ı').normalize('NFKC')

/** Lower, upper and lower again: ẞ reaches SS only by way of ß. A sigma is the same at the end of a word. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
