import { randomBytes } from 'node:crypto'

const inbound = /^[A-Za-z0-9._-]{1,64}$/
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/
const noTrace = '0'.repeat(32)

/** The id that an answer, its log lines and its trace share. */
export const trackOf = (track: string | undefined, trace: string | undefined): string => {
  if (track !== undefined && inbound.test(track)) return track
  return traceId(trace) ?? newTrack()
}

const traceId = (header: string | undefined) => {
  if (header === undefined || header.startsWith('ff')) return undefined
  const id = traceparent.exec(header)?.[1]
  return id === noTrace ? undefined : id
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
