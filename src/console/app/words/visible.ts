import { isolated } from './isolated.ts'
import type { Words } from './words.ts'

const invisibleStart = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u

/** The text without leading characters that are invisible. */
export const visible = (text: string) => text.replace(invisibleStart, '')

/** Text as it is shown, also within a sentence. If it would be invisible, or impossible to press, it is shown as “(empty)”. */
export const displayText = (text: string, { emptyText }: Words) =>
  visible(text) === '' ? emptyText : isolated(text)
