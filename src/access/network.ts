import { isIPv6 } from 'node:net'

/** What one subscriber has: an IPv4 address, or the 2^64 addresses of an IPv6 network. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  return `${prefixOf(address).join(':')}::/64`
}

const prefixOf = (address: string): readonly string[] => {
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  if (tail === undefined) return first.slice(0, 4).map(plain)
  const last = tail === '' ? [] : tail.split(':')
  const gap = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...gap, ...last].slice(0, 4).map(plain)
}

const plain = (group: string) => group.replace(/^0+(?=.)/, '')
