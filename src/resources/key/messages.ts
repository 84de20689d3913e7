import { errorTable } from '#core/words.ts'

/** Keys have no codes of their own. */
export const keyErrors = errorTable({})
