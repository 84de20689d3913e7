import type { ReducedMember } from '#client/index.ts'
import type { Failure } from '#console/app/api/failure.ts'
import { locale } from '#console/app/state/preferences.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'
import { sayText } from '#console/app/words/visible.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** As the language of the page says it: family name last, or first. */
export const nameOf = ({ firstName, lastName }: Named) => {
  const name = locale.get() === 'ja' ? `${lastName} ${firstName}` : `${firstName} ${lastName}`
  return sayText(name, wordsNow())
}

/** What the page of a member is called that could not be read. */
export const failedTitle = ({ status }: Failure, { pages, members }: Words) =>
  status === 404 ? members.notFound : pages.members
