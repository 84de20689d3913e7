/** What is wrong with an address of PostgreSQL, without a word of it: it may hold a password. */
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
  return faultOfWords(new URLSearchParams(query))
}

const faultOfWords = (words: URLSearchParams) => {
  const names = [...words.keys()]
  if (names.some((name) => places.includes(name))) return placeFault
  if (new Set(names).size < names.length) return twiceFault
  if (!['sslmode', 'ssl'].every((name) => modes.has(words.get(name) ?? 'disable'))) return modeFault
  const root = words.get('sslrootcert') || 'system'
  const mode = words.get('sslmode') ?? words.get('ssl') ?? 'disable'
  if (root !== 'system' && !verifying.has(mode)) return rootFault
  if (!primaries.has(words.get('target_session_attrs') ?? 'primary')) return primaryFault
  return /^\d{1,9}$/.test(words.get('connect_timeout') ?? '0') ? undefined : timeoutFault
}

/** The first of these ends what stands before the hosts, and another host would be asked than was meant. */
const escapedFault =
  'has an @ behind its hosts: a /, ? or @ in its name, password or words must be written as %2F, %3F or %40'
const percentFault = 'has a % that begins no character: a % itself must be written as %25'
const hostFault = 'must name hosts as host, host:port or [address]:port, with ports from 1 to 65535'

/** What libpq takes as words too stands in one place here. */
const places = ['host', 'hostaddr', 'port', 'user', 'password', 'dbname']
const placeFault =
  'must say user, password, hosts, ports and the name of the database before its words; hosts are reached over TCP, not by a socket that is a file'
const twiceFault = 'says one of its words twice'

/** As libpq knows them, and the two that say yes or no. */
const modes = new Set('disable allow prefer require verify-ca verify-full true false'.split(' '))
const modeFault = 'must have an sslmode of disable, allow, prefer, require, verify-ca or verify-full'

const verifying = new Set('require verify-ca verify-full true'.split(' '))
const rootFault = 'names an sslrootcert that nobody is held against: say sslmode=verify-full with it'

/** The two that mean a primary: nothing is asked of any other. */
const primaries = new Set(['primary', 'read-write'])
const primaryFault = 'must have a target_session_attrs of primary or read-write: only a primary is asked'

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
