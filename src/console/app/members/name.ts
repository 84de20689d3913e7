import type { ReducedMember } from '#client/index.ts'
import type { Failure } from '#console/app/api/failure.ts'
import { locale } from '#console/app/state/preferences.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { sayText } from '#console/app/words/visible.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** The order in which the language of the page has the parts of a name: family name last, or first. */
export const nameFields = () =>
  locale.get() === 'ja' ? (['lastName', 'firstName'] as const) : (['firstName', 'lastName'] as const)

export const nameOf = (named: Named) => {
  const name = nameFields()
    .map((field) => named[field])
    .join(' ')
  return sayText(name, wordsNow())
}

/** What the page of a member is called that could not be read. */
export const failedTitle = ({ status }: Failure, { pages, members }: Words) =>
  status === 404 ? members.notFound : pages.members
