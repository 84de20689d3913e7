import type { Plant } from './tap.ts'

/** Mistakes of a service that a cache brings to light. */
export const plants: Readonly<Record<string, Plant>> = {
  'no Vary'({ headers }) {
    delete headers.vary
  },

  'a Vary that forgets the coding'({ headers }) {
    headers.vary = 'Accept, Accept-Language'
  },

  'no validator'({ headers }) {
    delete headers.etag
    delete headers['last-modified']
  },

  'an item is still as it was, whatever happened'(passing, { method, headers }) {
    if (method !== 'GET' || headers['if-none-match'] === undefined || passing.status !== 200) return
    passing.status = 304
    passing.body = Buffer.alloc(0)
    passing.headers.etag = String(headers['if-none-match'])
    delete passing.headers['content-length']
  },

  'one tag for all codings'({ headers }) {
    headers.etag = String(headers.etag).replace(/\.(?:br|gzip)/, '')
  },
}
