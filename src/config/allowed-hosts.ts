import { isIPv6 } from 'node:net'
import type { Config } from '#src/config.ts'

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host)

/** An IPv6 address needs brackets before a port. */
export const hostAndPort = (host: string, port: number) => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/** The management listener serves the same API. */
export const listeningHosts = ({ HOST, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config) => {
  const management = MANAGEMENT_PORT === 'off' ? [] : [['MANAGEMENT_HOST', MANAGEMENT_HOST] as const]
  return [['HOST', HOST] as const, ...management]
}

/**
 * The values of Host that the service accepts. Undefined if it accepts any, because callers authenticate, or the service
 * is not limited to the loopback, so that DNS rebinding gains nothing.
 */
export const allowedHostsOf = (config: Config): readonly string[] | undefined => {
  const { ACCESS, TRUST_PROXY, ALLOWED_HOSTS, PUBLIC_URL } = config
  const listening = listeningHosts(config).map(([, host]) => host)
  const isClosed = ACCESS === 'open' && TRUST_PROXY.rules.length === 0 && listening.every(isLoopback)
  if (!isClosed || ALLOWED_HOSTS.includes('*')) return undefined
  return [...ALLOWED_HOSTS, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname])]
}
