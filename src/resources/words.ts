import { commonErrors } from '#core/messages.ts'
import { mergeErrors, wordsOf } from '#core/words.ts'
import { resources } from './index.ts'

/** The codes that all rooms share, and those of each room. */
export const allErrors = mergeErrors([commonErrors, ...resources.map(({ errors }) => errors)])

/** Their messages. */
export const allWords = wordsOf(allErrors)
