import { countCodePoints, isDistinct } from '#core/formats.ts'
import { bodyInvalid } from '#core/problem.ts'

export const maxSignIdLength = 256

/** The chosen sign id, or the e-mail address in lower case, which can be longer than the address and even too long. */
export const signIdOf = (chosen: string | null, emailAddress: string): string => {
  if (chosen) return chosen
  const derived = emailAddress.toLowerCase()
  if (!isDistinct(derived)) throw bodyInvalid([{ code: 'Pattern', target: 'emailAddress' }])
  if (countCodePoints(derived) <= maxSignIdLength) return derived
  throw bodyInvalid([{ code: 'Size', target: 'emailAddress', args: { min: 1, max: maxSignIdLength } }])
}
