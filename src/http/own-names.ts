import { isIP } from 'node:net'
import { Problem } from '#core/problem.ts'
import type { Responder } from './api.ts'

/**
 * Names that nobody out there can lead to this machine: those without a dot, and those that are kept from being anybody's
 * (RFC 2606, RFC 6761). Whoever asks by an address asked nobody where it leads.
 */
const isLocal = (name: string) => isIP(name) !== 0 || /^[^.]+$/.test(name) || isReserved(name)

const isReserved = (name: string) =>
  /\.(?:localhost|test|invalid|example)$|(?:^|\.)example\.(?:com|net|org)$/.test(name)

/**
 * Refuses a Host that is none of the names: a page can lead its own name to this machine (DNS rebinding) and is to its
 * browser of one origin with us then, but the browser tells the name.
 */
export const ownNames = (names: readonly string[], respond: Responder): Responder => {
  const known = new Set(names.map(nameOf))
  const isOurs = (name: string) => isLocal(name) || known.has(name)
  // Nearly all ask under the same name.
  let lastTaken = 'localhost'
  return (exchange) => {
    const host = exchange.target.authority ?? exchange.incoming.headers.host ?? lastTaken
    if (host !== lastTaken && !isOurs(nameOf(host))) return Promise.reject(new Problem('forbidden'))
    lastTaken = host
    return respond(exchange)
  }
}

/** Without port, brackets and the dot of the root. */
const nameOf = (host: string) =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$|\.$/g, '')
    .toLowerCase()
