import { words } from '#core/words.ts'

/** Todos have no messages of their own. */
export const todoWords = words({ en: {}, ja: {} })
