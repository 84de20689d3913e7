import { countCodePoints, isDistinct } from '#core/formats.ts'
import { bodyInvalid } from '#core/problem.ts'

export const maxSignIdLength = 256

/** The given sign id, or the e-mail address in lower case. Lower case can be longer, even too long. */
export const signIdOf = (given: string | null, emailAddress: string): string => {
  if (given) return given
  const derived = emailAddress.toLowerCase()
  if (!isDistinct(derived)) throw bodyInvalid([{ code: 'Pattern', target: 'emailAddress' }])
  if (countCodePoints(derived) <= maxSignIdLength) return derived
  throw bodyInvalid([{ code: 'Size', target: 'emailAddress', args: { min: 1, max: maxSignIdLength } }])
}
