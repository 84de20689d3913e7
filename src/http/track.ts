import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const inbound = /^[A-Za-z0-9._-]{1,64}$/
/** Version 00 ends with its flags; a later version may go on. */
const traceparent =
  /^(?!ff)(?!00.{53}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** The id that an answer, its log lines and its trace share. What is brought twice is joined, and no track. */
export const trackOf = ({ 'x-track': track, traceparent: trace }: IncomingHttpHeaders): string => {
  if (typeof track === 'string' && inbound.test(track)) return track
  return (typeof trace === 'string' && traceparent.exec(trace)?.[1]) || newTrack()
}

const idBytes = 16
const poolIds = 256
let pool = ''
let used = 0

/** Random bytes are fetched for many ids at once: one call for each costs a twentieth of a small answer. */
export const newTrack = () => {
  if (used === pool.length) {
    pool = randomBytes(idBytes * poolIds).toString('hex')
    used = 0
  }
  used += idBytes * 2
  return pool.slice(used - idBytes * 2, used)
}
