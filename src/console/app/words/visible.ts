import { isolated } from './isolated.ts'
import type { Words } from './words.ts'

const invisibleStart = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u

/** The text without leading characters that are invisible. */
export const visible = (text: string) => text.replace(invisibleStart, '')

/** Text that would be invisible, or impossible to press, is shown as “(empty)”. */
export const displayText = (text: string, { emptyText }: Words) => (visible(text) === '' ? emptyText : text)

/** The same within a sentence. Text that stands alone is not isolated, so that it is copied as it is. */
export const quotedText = (text: string, words: Words) => isolated(displayText(text, words))
