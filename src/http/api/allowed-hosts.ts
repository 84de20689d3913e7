import { isIP } from 'node:net'
import { Problem } from '#core/problem.ts'
import type { Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'

/**
 * A local host is an IP address, which needs no lookup, or a name that nobody can register on the internet: one without a dot,
 * or a reserved one (RFC 2606, RFC 6761). A hostile network can still resolve such names to this machine (decision 0007).
 */
const isLocal = (name: string) => isIP(name) !== 0 || /^[^.]+$/.test(name) || isReserved(name)

const isReserved = (name: string) =>
  /\.(?:localhost|test|invalid|example)$|(?:^|\.)example\.(?:com|net|org)$/.test(name)

/**
 * Refuses a Host that is neither local nor one of these names. A hostile page can make its own name resolve to this machine
 * (DNS rebinding): the browser then takes the service for the origin of the page, but it still sends that name as Host.
 *
 * Also refuses a change that a page of another site sends, unless its origin is allowed. Browsers send some changes without a
 * preflight, such as the upload of a file.
 */
export const allowedHosts = (
  names: readonly string[],
  isAllowedOrigin: (origin: string) => boolean,
  respond: Responder,
): Responder => {
  const allowedNames = new Set(names.map(hostName))
  const isAllowedName = (name: string) => isLocal(name) || allowedNames.has(name)
  const isFromForeignPage = (exchange: Exchange) => {
    const origin = safeMethods.test(exchange.method) ? undefined : header(exchange, 'origin')
    if (origin === undefined || isAllowedOrigin(origin)) return false
    return origin === 'null' || !isAllowedName(hostName(origin.replace(/^[^/]*\/\//, '')))
  }
  // Nearly all requests have the same Host.
  let lastAccepted = 'localhost'
  return (exchange) => {
    const host = exchange.target.authority ?? exchange.incoming.headers.host ?? lastAccepted
    if (host !== lastAccepted && !isAllowedName(hostName(host)))
      return Promise.reject(new Problem('forbidden'))
    lastAccepted = host
    return isFromForeignPage(exchange) ? Promise.reject(new Problem('forbidden')) : respond(exchange)
  }
}

const safeMethods = /^(?:GET|HEAD|OPTIONS)$/

/** Without the port, the brackets and the trailing dot. */
const hostName = (host: string) =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$|\.$/g, '')
    .toLowerCase()
