import { isIP } from 'node:net'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'

/**
 * IP addresses, which need no lookup, and names that nobody can register on the internet: those without a dot, and reserved
 * ones (RFC 2606, RFC 6761). A hostile network can still resolve them to this machine (decision 0007).
 */
const isLocal = (name: string) => isIP(name) !== 0 || /^[^.]+$/.test(name) || isReserved(name)

const isReserved = (name: string) =>
  /\.(?:localhost|test|invalid|example)$|(?:^|\.)example\.(?:com|net|org)$/.test(name)

/**
 * Refuses a Host that is neither local nor one of these names. A page can make its own name resolve to this machine (DNS
 * rebinding), so that the browser treats us as the same origin. But the browser still sends that name as Host.
 *
 * Also refuses a change that a page of another site sends, unless its origin is allowed: a browser posts a file for an import
 * without a preflight.
 */
export const allowedHosts = (
  names: readonly string[],
  isAllowed: (origin: string) => boolean,
  respond: Responder,
): Responder => {
  const known = new Set(names.map(nameOf))
  const isOurs = (name: string) => isLocal(name) || known.has(name)
  const isForeign = (exchange: Exchange) => {
    const origin = reads.test(exchange.method) ? undefined : header(exchange, 'origin')
    if (origin === undefined || isAllowed(origin)) return false
    return origin === 'null' || !isOurs(nameOf(origin.replace(/^[^/]*\/\//, '')))
  }
  // Nearly all requests have the same Host.
  let lastAccepted = 'localhost'
  return (exchange) => {
    const host = exchange.target.authority ?? exchange.incoming.headers.host ?? lastAccepted
    if (host !== lastAccepted && !isOurs(nameOf(host))) return Promise.reject(new Problem('forbidden'))
    lastAccepted = host
    return isForeign(exchange) ? Promise.reject(new Problem('forbidden')) : respond(exchange)
  }
}

const reads = /^(?:GET|HEAD|OPTIONS)$/

/** Without the port, the brackets and the trailing dot. */
const nameOf = (host: string) =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$|\.$/g, '')
    .toLowerCase()
