import { codePoints } from '#core/formats.ts'
import { bodyInvalid } from '#core/problem.ts'

export const longestSignId = 256

/** The given sign id, or the e-mail address in lower case, which can be longer than the address and even too long. */
export const signIdOf = (named: string | null, emailAddress: string): string => {
  if (named) return named
  const made = emailAddress.toLowerCase()
  if (codePoints(made) <= longestSignId) return made
  throw bodyInvalid([{ code: 'Size', target: 'credential.signId', args: { min: 0, max: longestSignId } }])
}
