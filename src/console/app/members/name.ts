import type { ReducedMember } from '#client/index.ts'
import { locale } from '#console/app/state/preferences.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { closed, displayText, isolated } from '#console/app/words/visible.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** The parts of a name in the order of the page's language: family name last, or first. */
export const nameFields = () =>
  locale.get() === 'ja' ? (['lastName', 'firstName'] as const) : (['firstName', 'lastName'] as const)

/** Scripts in which the family name comes first, whatever the language of the page. */
const familyFirst = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

export const nameOf = (named: Named) => {
  const isFamilyFirst = familyFirst.test(named.lastName + named.firstName)
  const name = (isFamilyFirst ? (['lastName', 'firstName'] as const) : nameFields())
    .map((field) => closed(named[field]))
    .join(' ')
  return displayText(name, wordsNow())
}

/** The name within a sentence. */
export const quotedName = (named: Named) => isolated(nameOf(named))
