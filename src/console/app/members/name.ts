import type { ReducedMember } from '#client/index.ts'
import { type Failure, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import { locale } from '#console/app/state/preferences.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { closed, displayText, isolated } from '#console/app/words/visible.ts'
import { type ProfileField, profileFields } from './fields.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** The parts of a name in the order of the page's language: family name last, or first. */
export const nameFields = () =>
  locale.get() === 'ja' ? (['lastName', 'firstName'] as const) : (['firstName', 'lastName'] as const)

/** What these fields are called, in the order of the form. */
export const labelsOf = (fields: readonly ProfileField[], { members }: Words) =>
  inOrder(fields).map((field) => members.fields[field])

/** The fields in the order of the form, which depends on the language. */
export const inOrder = (fields: readonly ProfileField[]) =>
  [...new Set([...nameFields(), ...profileFields])].filter((field) => fields.includes(field))

export const nameOf = (named: Named) => {
  const name = nameFields()
    .map((field) => closed(named[field]))
    .join(' ')
  return displayText(name, wordsNow())
}

/** The name within a sentence. */
export const quotedName = (named: Named) => isolated(nameOf(named))

/** The title of a member's page if the member could not be read. */
export const failedTitle = ({ status }: Failure, { pages, members }: Words) =>
  status === 404 ? members.notFound : pages.members

/** What a failure means for a change of a member, if it means more than its reason: `unanswered` if it may have taken effect. */
export const meaningOf = (failure: Failure, unanswered: string, words: Words['members']) => {
  if (isGone(failure)) return words.deleted
  return isOutcomeUnknown(failure) ? unanswered : undefined
}
