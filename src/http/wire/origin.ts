import type { IncomingMessage } from 'node:http'
import { type BlockList, isIPv6 } from 'node:net'
import { withoutPort } from '#core/network.ts'

/** True if the X-Forwarded fields of this peer are believed. */
type TrustsProxy = (address: string) => boolean

/** Undefined when no proxy is trusted. */
export const trustsProxy = (proxies: BlockList): TrustsProxy | undefined =>
  proxies.rules.length === 0
    ? undefined
    : (address) => proxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4')

/** A port is at most 65535, and may be empty (RFC 3986, 3.2.3). */
const hostShape =
  /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]+\])(?::(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])?)?$/

/** True if a URL could contain this host. */
export const isHost = (text: string) =>
  hostShape.test(text) && (text[0] !== '[' || isIPv6(text.slice(1, text.indexOf(']'))))

export type Origin = ReturnType<typeof originReader>

export const originReader = (publicUrl: string | undefined, trusts: TrustsProxy | undefined) => {
  const isTrusted = (incoming: IncomingMessage) => trusts?.(incoming.socket.remoteAddress ?? '') === true
  return {
    /** True if the origin is the same for every request. */
    isFixed: publicUrl !== undefined,

    /** The URL at which the caller reaches the service, without a trailing slash. Never throws, because the answer may report a write. */
    urlFor(incoming: IncomingMessage, authority: string | undefined) {
      if (publicUrl !== undefined) return publicUrl
      const forwarded = isTrusted(incoming)
      const forwardedHost = forwarded ? lastValue(incoming.headers['x-forwarded-host']) : undefined
      const requestedHost =
        forwardedHost && isHost(forwardedHost) ? forwardedHost : authority || incoming.headers.host
      const host = requestedHost?.replace(/:$/, '') || localHost(incoming)
      const origin = `${scheme(incoming, forwarded)}://${host}`
      return forwarded ? withPort(origin, lastValue(incoming.headers['x-forwarded-port'])) : origin
    },
    address(incoming: IncomingMessage) {
      const peer = incoming.socket.remoteAddress ?? ''
      if (!trusts || !isTrusted(incoming)) return peer
      return lastUntrusted(incoming.headers['x-forwarded-for'], trusts) ?? peer
    },
  }
}

/** Proxies append their value, so that of the trusted proxy comes last. */
const lastValue = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim()

const scheme = (incoming: IncomingMessage, forwarded: boolean) => {
  const proto = forwarded ? lastValue(incoming.headers['x-forwarded-proto']) : undefined
  if (proto === 'https' || proto === 'http') return proto
  return 'encrypted' in incoming.socket ? 'https' : 'http'
}

/** A port in the host takes precedence over X-Forwarded-Port; the default ports are left out. */
const withPort = (origin: string, port: string | undefined) =>
  port &&
  /^[1-9]\d{0,4}$/.test(port) &&
  !defaultPorts.has(port) &&
  !/:\d+$/.test(origin) &&
  URL.canParse(`${origin}:${port}`)
    ? new URL(`${origin}:${port}`).origin
    : origin

const defaultPorts = new Set(['80', '443'])

/** An HTTP/1.0 request may have no Host. */
const localHost = ({ socket }: IncomingMessage) => {
  const address = socket.localAddress ?? '127.0.0.1'
  return `${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`
}

const lastUntrusted = (header: string | string[] | undefined, trusts: TrustsProxy) =>
  String(header ?? '')
    .split(',')
    .map((address) => withoutPort(address.trim()))
    .filter((address) => address !== '')
    .findLast((address) => !trusts(address))
