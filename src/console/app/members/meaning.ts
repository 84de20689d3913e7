import { type Failure, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import type { Words } from '#console/app/words/index.ts'

/** What a failure means for a change of a member, if it means more than its reason: `unanswered` if it may have taken effect. */
export const meaningOf = (failure: Failure, unanswered: string, words: Words['members']) => {
  if (isGone(failure)) return words.deleted
  return isOutcomeUnknown(failure) ? unanswered : undefined
}
