import type { ReducedMember } from '#client/index.ts'
import type { Failure } from '#console/app/api/failure.ts'
import { locale } from '#console/app/state/preferences.ts'
import { type Words, wordsNow } from '#console/app/words/index.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** As the language of the page says it: family name last, or first. What is blank could not be seen, or pressed. */
export const nameOf = ({ firstName, lastName }: Named) => {
  const name = locale.get() === 'ja' ? `${lastName} ${firstName}` : `${firstName} ${lastName}`
  return name.trim() === '' ? wordsNow().emptyText : name
}

/** What the page of a member is called that could not be read. */
export const failedTitle = ({ status }: Failure, { pages, members }: Words) =>
  status === 404 ? members.notFound : pages.members
