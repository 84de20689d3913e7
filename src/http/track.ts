import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { readTraceParent } from '#core/trace-parent.ts'

const inbound = /^[A-Za-z0-9._-]{1,64}$/

/** The id that an answer, its log lines and its trace share. What is brought twice is joined, and no track. */
export const trackOf = ({ 'x-track': track, traceparent: trace }: IncomingHttpHeaders): string => {
  if (typeof track === 'string' && inbound.test(track)) return track
  return (typeof trace === 'string' && readTraceParent(trace)?.traceId) || newTrack()
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
