import { commonWords } from '#core/messages.ts'
import { mergeWords } from '#core/words.ts'
import { resources } from './index.ts'

/** The messages that all rooms share, and those of each room. */
export const allWords = mergeWords([commonWords, ...resources.map(({ words }) => words)])
