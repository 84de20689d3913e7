import { words } from '#core/words.ts'

/** A todo says nothing that the service does not say of every resource. */
export const todoWords = words({ en: {}, ja: {} })
