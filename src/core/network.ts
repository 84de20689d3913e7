import { isIPv4, isIPv6 } from 'node:net'

/**
 * The network of one subscriber, without the port: an IPv4 address, or an IPv6 network of 2^64 addresses. All texts that are no
 * address share one network, so that an invented text does not count as a new network.
 */
export const networkOf = (text: string): string => {
  if (isIPv4(text)) return text
  const address = withoutPort(text)
  const ipv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
  if (isIPv4(ipv4)) return ipv4
  return isIPv6(address) ? `${ipv6PrefixOf(address).join(':')}::/64` : noNetwork
}

/** Removes the port, which some proxies append to the address and which differs for each connection. */
export const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

const noNetwork = 'no address'

const ipv6PrefixOf = (address: string): readonly string[] => {
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  if (tail === undefined) return first.slice(0, 4).map(trimLeadingZeros)
  const last = tail === '' ? [] : tail.split(':')
  const gap = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...gap, ...last].slice(0, 4).map(trimLeadingZeros)
}

const trimLeadingZeros = (group: string) => group.replace(/^0+(?=.)/, '')
