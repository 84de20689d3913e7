import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sortable } from '#core/page.ts'

/** Makes and reads the tokens of keyset paging: opaque, signed, and good only for the list they were made for. */
export interface Cursors {
  make(after: readonly Sortable[], list: string): string
  /** Undefined if it is not ours, or not of this list. */
  read(token: string, list: string): readonly Sortable[] | undefined
}

const signatureBytes = 16

export const cursors = (secret: Uint8Array): Cursors => {
  const sign = (payload: string, list: string) =>
    createHmac('sha256', secret).update(`${list}\n${payload}`).digest().subarray(0, signatureBytes)
  return {
    make(after, list) {
      const payload = Buffer.from(JSON.stringify(after)).toString('base64url')
      return `${payload}.${sign(payload, list).toString('base64url')}`
    },
    read(token, list) {
      const [payload = '', signature = '', ...rest] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const isOurs =
        rest.length === 0 && given.length === signatureBytes && timingSafeEqual(given, sign(payload, list))
      return isOurs ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : undefined
    },
  }
}
