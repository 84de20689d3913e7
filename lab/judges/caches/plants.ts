import type { Plant } from './tap.ts'

/** Mistakes of a service that a cache reveals. */
export const plants: Readonly<Record<string, Plant>> = {
  'no Vary'({ headers }) {
    delete headers.vary
  },

  'a Vary without Accept-Encoding'({ headers }) {
    headers.vary = 'Accept, Accept-Language, Prefer'
  },

  'a Vary without Prefer'({ headers }) {
    headers.vary = 'Accept, Accept-Language, Accept-Encoding'
  },

  'no validator'({ headers }) {
    delete headers.etag
    delete headers['last-modified']
  },

  'an item always reported as unchanged'(passing, { method, headers }) {
    if (method !== 'GET' || headers['if-none-match'] === undefined || passing.status !== 200) return
    passing.status = 304
    passing.body = Buffer.alloc(0)
    passing.headers.etag = String(headers['if-none-match'])
    delete passing.headers['content-length']
  },

  'one ETag for all codings'({ headers }) {
    headers.etag = String(headers.etag).replace(/\.(?:br|gzip)/, '')
  },
}
