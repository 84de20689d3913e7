import { randomBytes } from 'node:crypto'

const valuesTogether = 256

/** Gives so many random digits each time. Bytes are fetched for many at once: a call for each costs a twentieth of a small answer. */
export const randomHex = (digits: number): (() => string) => {
  let pool = ''
  let used = 0
  return () => {
    if (used === pool.length) {
      pool = randomBytes((digits / 2) * valuesTogether).toString('hex')
      used = 0
    }
    used += digits
    return pool.slice(used - digits, used)
  }
}
