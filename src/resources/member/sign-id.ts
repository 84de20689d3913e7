import { codePoints } from '#core/formats.ts'
import { bodyInvalid } from '#core/problem.ts'

export const signIdMost = 256

/** The sign id of a member that may have named none: its e-mail address in lower case, which can be longer than that. */
export const signIdOf = (named: string | null, emailAddress: string): string => {
  if (named) return named
  const made = emailAddress.toLowerCase()
  if (codePoints(made) <= signIdMost) return made
  throw bodyInvalid([{ code: 'Size', target: 'credential.signId', args: { min: 0, max: signIdMost } }])
}
