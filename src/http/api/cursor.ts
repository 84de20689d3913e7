import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import type { Sortable } from '#core/page.ts'

export type Cursors = ReturnType<typeof cursors>

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

const blockAlgorithm = 'aes-256-ecb'
const blockBytes = 16

/**
 * Makes and reads the tokens of keyset paging. A token holds values of a record and ends up in URLs and logs, so it is
 * encrypted. It can be read only with the binding that it was made with, which identifies the list and its filter.
 */
export const cursors = (key: Uint8Array) => {
  const secret = Buffer.from(key).toString('base64url')
  // Both ciphers are reused, because making one costs ten times as much as using it.
  const blockKey = hash('sha256', `${secret} block`, 'buffer')
  const blockCipher = createCipheriv(blockAlgorithm, blockKey, null).setAutoPadding(false)
  const blockDecipher = createDecipheriv(blockAlgorithm, blockKey, null).setAutoPadding(false)
  return {
    make(after: readonly Sortable[], binding: string) {
      const text = JSON.stringify(after)
      // The same position always yields the same token, so that HEAD has the header fields of GET.
      const nonce = hash('sha256', `${secret} ${binding} ${text}`, 'buffer').subarray(0, nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(binding))
      const position = [cipher.update(text), cipher.final()]
      return Buffer.concat([nonce, ...position, cipher.getAuthTag()]).toString('base64url')
    },

    /** Undefined if the token is not ours, or has another binding. */
    read(token: string, binding: string): readonly Sortable[] | undefined {
      const bytes = Buffer.from(token, 'base64url')
      if (bytes.length < nonceBytes + tagBytes || !isCanonical(token, bytes)) return undefined
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(binding))
        .setAuthTag(bytes.subarray(-tagBytes))
      const position = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
      try {
        return JSON.parse(Buffer.concat([position, decipher.final()]).toString())
      } catch {
        return undefined
      }
    },

    /** Encrypts one block of 16 bytes, in a tenth of the time that `make` takes. */
    encryptBlock: (block: Buffer) => blockCipher.update(block).toString('base64url'),

    /** Decrypts a token of `encryptBlock`. Undefined if its length is wrong; but an altered token yields other bytes, so check them. */
    decryptBlock(token: string) {
      const bytes = Buffer.from(token, 'base64url')
      return bytes.length === blockBytes && isCanonical(token, bytes)
        ? blockDecipher.update(bytes)
        : undefined
    },
  }
}

/** The same bytes have several base64url spellings. Only ours is valid. */
const isCanonical = (token: string, bytes: Buffer) => bytes.toString('base64url') === token
