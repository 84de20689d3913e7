import type { ReducedMember } from '#client/index.ts'
import { locale } from '#console/app/state/preferences.ts'
import { wordsNow } from '#console/app/words/index.ts'
import { closeControls, isolate, textOrEmptyMark } from '#console/app/words/visible.ts'
import { fullNameOf } from '#core/display.ts'

type PersonName = Pick<ReducedMember, 'firstName' | 'lastName'>

export const nameFields = () =>
  locale.get() === 'ja' ? (['lastName', 'firstName'] as const) : (['firstName', 'lastName'] as const)

export const nameOf = ({ firstName, lastName }: PersonName) =>
  textOrEmptyMark(fullNameOf(closeControls(firstName), closeControls(lastName), locale.get()), wordsNow())

export const quotedName = (named: PersonName) => isolate(nameOf(named))
