import { errorTable } from '#core/words.ts'

/** Todos have no codes of their own. */
export const todoErrors = errorTable({})
