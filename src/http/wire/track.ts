import type { IncomingHttpHeaders } from 'node:http'
import { randomHex } from '#core/random-hex.ts'
import { parseTraceParent } from '#core/trace-parent.ts'

const validTrack = /^[A-Za-z0-9._-]{1,64}$/

/** The id that an answer, its log lines and its trace share. node:http joins a repeated X-Track, which makes it invalid. */
export const trackOf = ({ 'x-track': track, traceparent: trace }: IncomingHttpHeaders): string => {
  if (typeof track === 'string' && validTrack.test(track)) return track
  return (typeof trace === 'string' && parseTraceParent(trace)?.traceId) || newTrack()
}

const newTrack = randomHex(32)
