import { isIPv6 } from 'node:net'
import type { Config } from '#src/config.ts'

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host)

/** Joins host and port. An IPv6 address gets brackets. */
export const hostAndPort = (host: string, port: number) => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/** The hosts on which the API listens, with their settings. The management listener also serves the API. */
export const listeningHosts = ({ HOST, MANAGEMENT_HOST, MANAGEMENT_PORT }: Config) => {
  const management = MANAGEMENT_PORT === 'off' ? [] : [['MANAGEMENT_HOST', MANAGEMENT_HOST] as const]
  return [['HOST', HOST] as const, ...management]
}

/**
 * The host names that the service accepts in `Host`. Undefined if it accepts any name, because DNS rebinding gains nothing: either
 * callers authenticate, or the service does not listen on the loopback alone.
 */
export const allowedHostsOf = (config: Config): readonly string[] | undefined => {
  const { ACCESS, TRUST_PROXY, ALLOWED_HOSTS, PUBLIC_URL } = config
  const listening = listeningHosts(config).map(([, host]) => host)
  const isClosed = ACCESS === 'open' && TRUST_PROXY.rules.length === 0 && listening.every(isLoopback)
  if (!isClosed || ALLOWED_HOSTS.includes('*')) return undefined
  return [...ALLOWED_HOSTS, ...(PUBLIC_URL === undefined ? [] : [new URL(PUBLIC_URL).hostname])]
}
