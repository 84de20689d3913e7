import { randomBytes } from 'node:crypto'

const inbound = /^[A-Za-z0-9._-]{1,64}$/
/** Version 00 ends with its flags; a later version may go on. */
const traceparent =
  /^(?!ff)(?!00.{53}-)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** The id that an answer, its log lines and its trace share. */
export const trackOf = (track: string | undefined, trace: string | undefined): string => {
  if (track !== undefined && inbound.test(track)) return track
  return traceId(trace) ?? newTrack()
}

const traceId = (header: string | undefined) =>
  header === undefined ? undefined : traceparent.exec(header)?.[1]

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
