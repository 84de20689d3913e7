import { randomBytes } from 'node:crypto'

const valuesPerFetch = 256

/** Returns a generator of random digits. It fetches random bytes in bulk, because one fetch per call cost 5 % of a small response. */
export const randomHex = (digits: number): (() => string) => {
  let pool = ''
  let used = 0
  return () => {
    if (used === pool.length) {
      pool = randomBytes((digits / 2) * valuesPerFetch).toString('hex')
      used = 0
    }
    used += digits
    return pool.slice(used - digits, used)
  }
}
