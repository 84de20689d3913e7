import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import type { Sortable } from '#core/page.ts'

export type Cursors = ReturnType<typeof cursors>

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const blockAlgorithm = 'aes-256-ecb'
const blockBytes = 16

/**
 * Makes and reads the tokens of keyset paging. They are encrypted, because a position holds values of a record and ends up in
 * addresses and logs, and valid only for the list they were made for.
 */
export const cursors = (key: Uint8Array) => {
  const secret = Buffer.from(key).toString('base64url')
  // Ciphers are kept, because making one costs ten times as much as using it.
  const blockKey = hash('sha256', `${secret} block`, 'buffer')
  const sealing = createCipheriv(blockAlgorithm, blockKey, null).setAutoPadding(false)
  const opening = createDecipheriv(blockAlgorithm, blockKey, null).setAutoPadding(false)
  return {
    make(after: readonly Sortable[], list: string) {
      const text = JSON.stringify(after)
      // The same position always yields the same token, so that HEAD has the header fields of GET.
      const nonce = hash('sha256', `${secret} ${list} ${text}`, 'buffer').subarray(0, nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(list))
      const position = [cipher.update(text), cipher.final()]
      return Buffer.concat([nonce, ...position, cipher.getAuthTag()]).toString('base64url')
    },

    /** Undefined if the token is not ours, or belongs to another list. */
    read(token: string, list: string): readonly Sortable[] | undefined {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length < nonceBytes + tagBytes || !isSpelledAsOurs(token, bytes)) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(list))
        .setAuthTag(bytes.subarray(-tagBytes))
      const position = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
      try {
        return JSON.parse(Buffer.concat([position, decipher.final()]).toString())
      } catch {
        return undefined
      }
    },

    /** Seals one block of 16 bytes, in a tenth of the time. */
    seal: (block: Buffer) => sealing.update(block).toString('base64url'),

    /** Undefined if it is no such token. An altered token decrypts to other bytes, so the caller must check them. */
    open(token: string) {
      const bytes = Buffer.from(token, 'base64url')
      return bytes.length === blockBytes && isSpelledAsOurs(token, bytes) ? opening.update(bytes) : undefined
    },
  }
}

/** The same bytes have several base64url spellings. Only ours is valid. */
const isSpelledAsOurs = (token: string, bytes: Buffer) => bytes.toString('base64url') === token
