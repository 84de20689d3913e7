import { type LookupAddress, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

const refusedNetworks = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // Public IPv6 ranges for documentation, and tunnels to IPv4 addresses.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]

const networksOf = (list: readonly string[]) => {
  const networks = new BlockList()
  for (const network of list) {
    const [address = '', bits] = network.split('/')
    networks.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return networks
}

const notPublic = networksOf(refusedNetworks)

/** The prefix of all public IPv6 addresses. Addresses that embed IPv4 do not have it. */
const publicIpv6 = networksOf(['2000::/3'])

/** True for a public unicast address, false for a private, loopback, link-local or reserved one. */
export const isPublic = (address: string): boolean => {
  if (isIP(address) === 4) return !notPublic.check(address)
  return isIP(address) === 6 && publicIpv6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

/** The host of a URL. An IPv6 address is returned without brackets. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.+)\]$/, '$1')

const isLoopbackHost = (host: string) => /^(?:localhost|127\.[\d.]+|::1)$/.test(host)

/** The blocked ports of the Fetch standard: services of other protocols listen there. */
const blockedPorts = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049],
  ...[3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
])

/** The port of a URL, if it is one of the blocked ports. */
export const blockedPortOf = (text: string): number | undefined => {
  const port = Number(URL.parse(text)?.port)
  return blockedPorts.has(port) ? port : undefined
}

/**
 * Normalizes the URL of a webhook. Undefined if webhooks may not have this URL. The IP addresses of its host are checked only when
 * a change is sent.
 */
export const normalizeAddress = (text: string, isAllowedHost: IsAllowedHost): string | undefined => {
  const url = URL.parse(text)
  if (!url || url.username + url.password !== '' || blockedPortOf(text) !== undefined) return undefined
  const host = hostOf(url)
  const isLoopbackHttp = url.protocol === 'http:' && isAllowedHost(host) && isLoopbackHost(host)
  const isHostAllowed = isAllowedHost(host) || (!isLoopbackHost(host) && (isIP(host) === 0 || isPublic(host)))
  return isLoopbackHttp || (url.protocol === 'https:' && isHostAllowed) ? url.href : undefined
}

/** True for a host that WEBHOOK_HOSTS names. Such a host may be private. */
export type IsAllowedHost = (host: string) => boolean

export const allowedHosts =
  (hosts: readonly string[]): IsAllowedHost =>
  (host) =>
    hosts.includes('*') || hosts.some((one) => one.toLowerCase() === host)

const dnsTimeoutMs = 3_000
const dnsTries = 2

/** Fails if an address of the host is not public. Queries DNS itself, because a silent name server would block a thread of Node's pool. */
export const guardedLookup = (isAllowedHost: IsAllowedHost): LookupFunction => {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: dnsTries })
  const publicAddresses = async (host: string): Promise<LookupAddress[]> => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    const found = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const privateAddress = found.find((address) => !isPublic(address))
    if (privateAddress !== undefined) throw new Error(`${host} is ${privateAddress}, which is not public`)
    return found.map((address) => ({ address, family: isIP(address) }))
  }
  return (host, options, callback) => {
    if (isAllowedHost(host)) return lookup(host, options, callback)
    publicAddresses(host).then(
      (found) => {
        const [first] = found
        if (options.all) callback(null, found)
        else callback(null, first?.address ?? '', first?.family)
      },
      (error) => callback(error, []),
    )
  }
}
