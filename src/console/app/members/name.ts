import type { ReducedMember } from '#client/index.ts'
import { locale } from '#console/app/state/preferences.ts'

type Named = Pick<ReducedMember, 'firstName' | 'lastName'>

/** As the language of the page says it: family name last, or first. */
export const nameOf = ({ firstName, lastName }: Named) =>
  locale.get() === 'ja' ? `${lastName} ${firstName}` : `${firstName} ${lastName}`
