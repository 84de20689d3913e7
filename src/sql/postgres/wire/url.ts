import { userInfo } from 'node:os'

/** A server in a URL. A host that begins with a slash is the folder of a Unix socket. */
export interface Host {
  readonly host: string
  readonly port: number
}

/** A message about the fault of a PostgreSQL URL, or of an environment variable that completes it. Quotes no text of the URL, which may be secret. */
export const findUrlFault = (url: string, subject = 'DATABASE_URL'): string | undefined => {
  try {
    if (url.startsWith('postgres')) readUrl(url)
    return undefined
  } catch (error) {
    if (!(error instanceof UrlFault)) throw error
    return `${error.variable ? `The environment (${error.variable})` : subject} ${error.message}.`
  }
}

export const hostsOf = (url: string): readonly Host[] => readUrl(url).hosts

/** The hosts and the database that a URL leads to, completed by the variables of libpq. */
export const describeTarget = (url: string): string => {
  const { hosts, parameters } = readUrl(url)
  const names = hosts.map(({ host, port }) => `${host}:${port}`).join(', ')
  return `${names}, database ${parameters.dbname || parameters.user || userInfo().username}`
}

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const

/** The files that a connection needs, with the parameters that name them. */
export const certificateFilesOf = (url: string): readonly (readonly [name: string, path: string])[] => {
  const { parameters } = readUrl(url)
  return fileParameters.flatMap((name) =>
    parameters[name] && parameters[name] !== 'system' ? [[name, parameters[name]] as const] : [],
  )
}

class UrlFault extends Error {
  /** The faulty environment variable; undefined if the URL is faulty. */
  readonly variable: string | undefined

  constructor(message: string, variable?: string) {
    super(message)
    this.variable = variable
  }
}

export type ConnectionParameters = Readonly<Record<string, string | undefined>>

/** Reads the hosts and the parameters of libpq from the URL. The environment completes what the URL omits. */
export const readUrl = (
  url: string,
): { readonly hosts: readonly Host[]; readonly parameters: ConnectionParameters } => {
  const [, authority = '', path = '', query = ''] =
    /^[^:]*:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(url) ?? []
  if (`${path}${query}`.includes('@')) throw new UrlFault(escapedFault)
  const at = authority.lastIndexOf('@')
  const [user = '', ...password] = authority.slice(0, Math.max(at, 0)).split(':')
  const queryParameters = Array.from(
    new URLSearchParams(query),
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  const urlParameters: ConnectionParameters = Object.fromEntries([
    ...queryParameters,
    ...Object.entries({ user, password: password.join(':'), dbname: path })
      .filter(([, text]) => text !== '')
      .map(([name, text]) => [name, decode(text)]),
  ])
  const parameters: ConnectionParameters = { ...fromEnvironment(), ...urlParameters }
  /** `name` is the parameter at fault, if there is one. */
  const refuse = (name: string, fault: string) => {
    throw new UrlFault(
      fault,
      urlParameters[name] === undefined && parameters[name] ? variables[name] : undefined,
    )
  }
  const names = queryParameters.map(([name]) => name)
  if (new Set(names).size < names.length) refuse('', 'gives one of its parameters twice')
  const misplaced = names.find((name) => notAsParameters.includes(name))
  if (misplaced !== undefined) refuse('', `must give ${misplaced} before its parameters`)
  for (const [name, value = ''] of Object.entries(parameters)) {
    const values = supportedValues[name]
    if (values !== undefined && !values.includes(value)) refuse(name, faultOfValue(name, values))
  }
  if (!/^[1-9]\d{0,2}$/.test(parameters.connect_timeout ?? '1')) refuse('connect_timeout', timeoutFault)
  refuseUnused(parameters, refuse)
  const servers = authority.slice(at + 1)
  if (servers !== '' && urlParameters.host !== undefined && !servers.startsWith(':')) refuse('', twiceFault)
  const hosts =
    servers === ''
      ? hostsFromParameters(parameters)
      : servers.split(',').map((text) => hostFrom(text, parameters))
  if (hosts.length === 0) refuse('', hostFault)
  const valid = hosts.filter((host) => host !== undefined)
  if (valid.length < hosts.length) refuse(servers === '' ? 'port' : '', hostFault)
  return { hosts: valid, parameters }
}

const fromEnvironment = (): ConnectionParameters =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) =>
      process.env[variable] ? [[name, process.env[variable]]] : [],
    ),
  )

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new UrlFault(percentFault)
  }
}

/** Refuses encryption settings and certificates that the connection would not use: the user expects them to have an effect. */
const refuseUnused = (parameters: ConnectionParameters, refuse: (name: string, fault: string) => void) => {
  const mode = sslModeOf(parameters)
  if (parameters.sslrootcert && parameters.sslrootcert !== 'system' && !verifyingModes.has(mode))
    refuse('sslrootcert', rootFault)
  const [other, given] = parameters.sslcert ? ['sslkey', 'sslcert'] : ['sslcert', 'sslkey']
  if (parameters[given] && !parameters[other]) refuse(given, 'must give sslcert and sslkey together')
  if (parameters.sslcert && mode === 'disable') refuse('sslcert', clientFault)
  if (parameters.sslnegotiation === 'direct' && !verifyingModes.has(mode))
    refuse('sslnegotiation', directFault)
}

const verifyingModes: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full', 'true'])

export const sslModeOf = ({ sslrootcert, sslmode, ssl = 'prefer' }: ConnectionParameters) =>
  sslrootcert === 'system' ? 'verify-full' : (sslmode ?? (ssl === 'false' ? 'disable' : ssl))

/** The hosts and ports of PGHOST and PGPORT, or of the parameters. */
const hostsFromParameters = ({ host = '', port = '' }: ConnectionParameters) => {
  const [hosts, ports] = [host.split(','), port.split(',')]
  if (ports.length > 1 && ports.length !== hosts.length) return [undefined]
  return hosts.map((name, index) => validHost(name, ports[ports.length > 1 ? index : 0]))
}

const hostFrom = (text: string, { host, port }: ConnectionParameters) => {
  const [all, name = '', ownPort] = /^(\[[\da-f:.%]+\]|[^\s:[\]]*)(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (all === undefined) return undefined
  return validHost(name.startsWith('[') ? name.slice(1, -1) : decode(name) || host, ownPort ?? port)
}

const validHost = (host: string | undefined, port = ''): Host | undefined => {
  const number = Number(port || defaultPort)
  const isPort = /^\d{0,5}$/.test(port) && number > 0 && number <= 65535
  return isPort ? { host: host || 'localhost', port: number } : undefined
}

const defaultPort = '5432'

/** An unescaped `/`, `?` or `@` would end the user and password too early, so the service would contact the wrong host. */
const escapedFault =
  'has an @ after its hosts: a /, ? or @ in its user, password or parameters must be written as %2F, %3F or %40'
const percentFault = 'has a % that is not part of an escape: a % itself must be written as %25'
const hostFault = 'must name hosts as host, host:port or [address]:port, with ports from 1 to 65535'
const twiceFault = 'names hosts before its parameters and in the parameter host'
const rootFault =
  'has an sslrootcert, but its sslmode does not verify the server: set sslmode=verify-full as well'
const clientFault =
  'has an sslcert, but sslmode=disable sends it to no server: set sslmode=verify-full as well'
const directFault =
  'has sslnegotiation=direct, which encrypts in any case: set sslmode=require or stricter as well'
const timeoutFault = 'must have a connect_timeout in whole seconds, from 1 to 999'

const faultOfValue = (name: string, values: readonly string[]) =>
  values.length === 0
    ? `has the parameter ${name}, which is not supported`
    : `must have ${name} as ${values.join(' or ')}: no other value is supported`

/** libpq also accepts these as parameters. Here they must stand before the parameters. */
const notAsParameters = ['port', 'user', 'password', 'dbname']

/**
 * libpq's variables for connections, including refused ones (https://www.postgresql.org/docs/current/libpq-envars.html). Most
 * have the name of the parameter: PGSSLROOTCERT gives sslrootcert.
 */
const variables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    `host hostaddr port user password passfile service options sslmode sslnegotiation sslrootcert sslcert sslkey sslcrl
    sslcrldir sslcertmode sslsni ssl_min_protocol_version ssl_max_protocol_version min_protocol_version
    max_protocol_version requirepeer require_auth channel_binding gssencmode client_encoding target_session_attrs
    load_balance_hosts`
      .split(/\s+/)
      .map((name) => [name, `PG${name.replaceAll('_', '').toUpperCase()}`]),
  ),
  dbname: 'PGDATABASE',
  application_name: 'PGAPPNAME',
  connect_timeout: 'PGCONNECT_TIMEOUT',
}

/** The supported values of libpq's parameters. A parameter without values is not supported. */
const supportedValues: Readonly<Record<string, readonly string[]>> = {
  sslmode: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
  ssl: ['true', 'false', 'require', 'verify-ca', 'verify-full'],
  sslnegotiation: ['postgres', 'direct'],
  sslsni: ['1'],
  channel_binding: ['disable', 'prefer', 'require'],
  gssencmode: ['disable', 'prefer'],
  // Both values mean a primary, because the service uses only primaries.
  target_session_attrs: ['primary', 'read-write'],
  load_balance_hosts: ['disable'],
  keepalives: ['1'],
  client_encoding: ['auto', 'UTF8', 'utf8'],
  // With these values, a commit is answered only when it is durable.
  synchronous_commit: ['on', 'remote_apply'],
  ...Object.fromEntries(
    `client_min_messages hostaddr service servicefile require_auth sslcrl sslcrldir sslcertmode sslcompression
    ssl_min_protocol_version ssl_max_protocol_version sslkeylogfile requirepeer keepalives_idle keepalives_interval
    keepalives_count tcp_user_timeout replication fallback_application_name krbsrvname gsslib gssdelegation
    min_protocol_version max_protocol_version scram_client_key scram_server_key oauth_issuer oauth_client_id
    oauth_client_secret oauth_scope`
      .split(/\s+/)
      .map((name) => [name, []]),
  ),
}

/** The parameters of the URL that are settings of the session. */
export const sessionParametersOf = (parameters: ConnectionParameters): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined || notForSession.has(name) ? [] : [[name, value]],
    ),
  )

const notForSession = new Set([...Object.keys(variables), 'ssl', 'sslpassword', 'keepalives'])
