import { isUtf8 } from 'node:buffer'
import { fold } from '#core/fold.ts'

export interface Credential {
  readonly signId: string
  readonly password: string
  /** A canonical text of the credential: equal for all headers that mean the same sign id and password. Neither part contains a NUL. */
  readonly canonicalText: string
}

/** Real credentials are shorter. The time to normalise a credential (NFC) grows with the square of its length. */
export const maxCredentialLength = 1_024

/** Parses a Basic header: the Base64 of a sign id, a colon and a password, in UTF-8 and without NUL. Undefined if the header is malformed. */
export const readCredential = (header: string): Credential | undefined => {
  const encoded = token68.exec(header)?.[1]
  const text = encoded === undefined ? undefined : decode(encoded)
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || text.length > maxCredentialLength) return undefined
  if (colon < 1 || text.includes('\0')) return undefined
  const [signId, password] = [text.slice(0, colon), text.slice(colon + 1)]
  return { signId, password, canonicalText: `${fold(signId)}\0${password.normalize('NFC')}` }
}

const token68 = /^basic +([A-Za-z0-9+/]+={0,2})$/i

const decode = (encoded: string) => {
  const bytes = Buffer.from(encoded, 'base64')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
