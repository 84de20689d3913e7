import type { Words } from './words.ts'

const inkless = /^[\s\p{Default_Ignorable_Code_Point}\p{Cf}]+/u

/** The text from where something is seen of it. */
export const visible = (text: string) => text.replace(inkless, '')

/** What would be seen of nothing, or could not be pressed, is called empty. */
export const sayText = (text: string, { emptyText }: Words) => (visible(text) === '' ? emptyText : text)
