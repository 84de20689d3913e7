import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import type { Sortable } from '#core/page.ts'

/**
 * Makes and reads the tokens of keyset paging. They are encrypted, because a position holds values of a record and ends up in
 * addresses and logs, and valid only for the list they were made for.
 */
export interface Cursors {
  make(after: readonly Sortable[], list: string): string
  /** Undefined if the token is not ours, or belongs to another list. */
  read(token: string, list: string): readonly Sortable[] | undefined
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export const cursors = (key: Uint8Array): Cursors => {
  const secret = Buffer.from(key).toString('base64url')
  return {
    make(after, list) {
      const text = JSON.stringify(after)
      // The same place always has the same token, so that the header fields of HEAD are those of GET. A nonce proves nothing, so it needs no HMAC.
      const nonce = hash('sha256', `${secret} ${list} ${text}`, 'buffer').subarray(0, nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(list))
      const position = [cipher.update(text), cipher.final()]
      return Buffer.concat([nonce, ...position, cipher.getAuthTag()]).toString('base64url')
    },

    read(token, list) {
      const bytes = Buffer.from(token, 'base64url')
      // The same bytes have several spellings, and only ours is valid.
      if (bytes.length < nonceBytes + tagBytes || bytes.toString('base64url') !== token) return undefined
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
  }
}
