/** What is wrong with a PostgreSQL URL. The text quotes none of it, because it may contain a password. */
export const faultOf = (url: string): string | undefined => {
  if (!url.startsWith('postgres')) return undefined
  const [, authority = '', path = '', query = ''] =
    /^[^:]*:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? []
  if (`${path}${query}`.includes('@')) return escapedFault
  const at = authority.lastIndexOf('@')
  if (!isDecodable(authority.slice(0, at + 1)) || !isDecodable(path)) return percentFault
  const hosts = authority.slice(at + 1).split(',')
  if (hosts.some((host) => /^%2f/i.test(host))) return placeFault
  if (!hosts.every(isHost)) return hostFault
  return faultOfParameters(new URLSearchParams(query))
}

const faultOfParameters = (parameters: URLSearchParams) => {
  const names = [...parameters.keys()]
  if (names.some((name) => places.includes(name))) return placeFault
  if (new Set(names).size < names.length) return duplicateFault
  if (!['sslmode', 'ssl'].every((name) => modes.has(parameters.get(name) ?? 'disable'))) return modeFault
  const root = parameters.get('sslrootcert') || 'system'
  const mode = parameters.get('sslmode') ?? parameters.get('ssl') ?? 'disable'
  if (root !== 'system' && !verifying.has(mode)) return rootFault
  if (clientKeys.some((name) => parameters.has(name))) return clientKeyFault
  if (!unbound.has(parameters.get('channel_binding') ?? 'prefer')) return bindingFault
  if (!primaries.has(parameters.get('target_session_attrs') ?? 'primary')) return primaryFault
  return /^\d{1,9}$/.test(parameters.get('connect_timeout') ?? '0') ? undefined : timeoutFault
}

/** An unescaped one of these ends the part before the hosts, so the wrong host would be contacted. */
const escapedFault =
  'has an @ after its hosts: a /, ? or @ in its user, password or parameters must be written as %2F, %3F or %40'
const percentFault = 'has a % that is not part of an escape: a % itself must be written as %25'
const hostFault = 'must name hosts as host, host:port or [address]:port, with ports from 1 to 65535'

/** libpq also accepts these as parameters; here each has only one place. */
const places = ['host', 'hostaddr', 'port', 'user', 'password', 'dbname']
const placeFault =
  'must give user, password, hosts, ports and the name of the database before its parameters; hosts are reached over TCP, not through a Unix-domain socket'
const duplicateFault = 'gives one of its parameters twice'

/** The modes of libpq, and the two booleans. */
const modes = new Set('disable allow prefer require verify-ca verify-full true false'.split(' '))
const modeFault = 'must have an sslmode of disable, allow, prefer, require, verify-ca or verify-full'

const verifying = new Set('require verify-ca verify-full true'.split(' '))
const rootFault = 'names an sslrootcert that no server is verified against: set sslmode=verify-full as well'

const clientKeys = ['sslcert', 'sslkey', 'sslpassword']
const clientKeyFault = 'names a certificate of the client (sslcert, sslkey), which is not supported'

/** Providers put `require` into the addresses they give out. */
const unbound = new Set(['disable', 'prefer'])
const bindingFault =
  'must have a channel_binding of disable or prefer: require is not supported; sslmode=verify-full proves which server it is'

/** The two that mean a primary: no other server is used. */
const primaries = new Set(['primary', 'read-write'])
const primaryFault = 'must have a target_session_attrs of primary or read-write: only a primary is used'

const timeoutFault = 'must have a connect_timeout in whole seconds'

const isHost = (text: string) => {
  const [, port] = /^(?:\[[\da-f:.%]+\]|[^\s:[\]]*)(?::(\d{1,5}))?$/i.exec(text) ?? [undefined, '0']
  return port === undefined || (Number(port) > 0 && Number(port) <= 65535)
}

const isDecodable = (text: string) => {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}
