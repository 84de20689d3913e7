import { isIP } from 'node:net'
import { Problem } from '#core/problem.ts'
import type { Responder } from './api.ts'

/** Names that a machine has for itself; whoever asks by an address asked nobody where it leads. */
const isLocal = (name: string) => isIP(name) !== 0 || /^(?:.+\.)?localhost$/.test(name)

/**
 * Refuses a Host that is none of the names: a page can lead its own name to this machine (DNS rebinding) and is to its
 * browser of one origin with us then, but the browser tells the name.
 */
export const ownNames = (names: readonly string[], respond: Responder): Responder => {
  const known = new Set(names.map((name) => name.toLowerCase()))
  return (exchange) => {
    const { authority } = exchange.target
    const name = nameOf(authority ?? exchange.incoming.headers.host ?? 'localhost')
    if (isLocal(name) || known.has(name)) return respond(exchange)
    return Promise.reject(new Problem('forbidden'))
  }
}

/** Without port, brackets and the dot of the root. */
const nameOf = (host: string) =>
  host
    .replace(/:\d*$/, '')
    .replace(/^\[|\]$|\.$/g, '')
    .toLowerCase()
