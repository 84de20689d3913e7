import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Sortable } from '#core/page.ts'

/** Makes and reads the tokens of keyset paging: opaque, signed, and valid only for the list they were made for. */
export interface Cursors {
  make(after: readonly Sortable[], list: string): string
  /** Undefined if the token is not ours, or belongs to another list. */
  read(token: string, list: string): readonly Sortable[] | undefined
}

const signatureBytes = 16

export const cursors = (secret: Uint8Array): Cursors => {
  const signed = (payload: string, list: string) => {
    const digest = createHmac('sha256', secret).update(`${list}\n${payload}`).digest()
    return `${payload}.${digest.toString('base64url', 0, signatureBytes)}`
  }
  return {
    make: (after, list) => signed(Buffer.from(JSON.stringify(after)).toString('base64url'), list),
    read(token, list) {
      const [payload = ''] = token.split('.', 1)
      if (!isSame(token, signed(payload, list))) return undefined
      return JSON.parse(Buffer.from(payload, 'base64url').toString())
    },
  }
}

/** Compared as texts: the same bytes have several spellings in base64url, and only ours is valid. */
const isSame = (given: string, ours: string) => {
  const [a, b] = [Buffer.from(given), Buffer.from(ours)]
  return a.length === b.length && timingSafeEqual(a, b)
}
