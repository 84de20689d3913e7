import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'

/** How to reach a server, according to a URL. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly encryption: Encryption | undefined
  /** Session parameters from the URL. */
  readonly parameters: Readonly<Record<string, string>>
}

export interface Encryption {
  /** Continues unencrypted if the server offers no encryption. */
  readonly isOptional: boolean
  /** Starts TLS without asking whether the server supports it. */
  readonly isDirect: boolean
  readonly tls: ConnectionOptions
}

/** URL parameters that are not sent to the server. */
const ours = [
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslnegotiation',
  'channel_binding',
  'target_session_attrs',
  'connect_timeout',
]

/** Parses `postgres://user:password@host:port/database?name=value`, for the host that has been chosen. */
export const addressOf = (url: string, { host, port }: Pick<Address, 'host' | 'port'>): Address => {
  const [, login = '', path = '', query = ''] =
    /^[^:]*:\/\/(?:(.*)@)?[^/?]*(?:\/([^?]*))?(?:\?(.*))?$/.exec(url) ?? []
  const [user = '', ...password] = login.split(':')
  const given = new URLSearchParams(query)
  const { env } = process
  const name = decodeURIComponent(user) || env.PGUSER || userInfo().username
  return {
    host,
    port,
    user: name,
    password: decodeURIComponent(password.join(':')) || env.PGPASSWORD || '',
    database: decodeURIComponent(path) || env.PGDATABASE || name,
    encryption: encryptionOf(given, host),
    parameters: Object.fromEntries([...given].filter(([parameter]) => !ours.includes(parameter))),
  }
}

const modes = ['true', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** Modes as in libpq (https://www.postgresql.org/docs/current/libpq-ssl.html), except that the default is no encryption. */
const encryptionOf = (given: URLSearchParams, host: string): Encryption | undefined => {
  const root = given.get('sslrootcert')
  const mode = root === 'system' ? 'verify-full' : (given.get('sslmode') ?? given.get('ssl') ?? 'disable')
  if (mode === 'disable' || mode === 'false') return undefined
  if (!modes.includes(mode)) throw new Error(`sslmode=${mode} is not known`)
  // With a root certificate, `require` verifies the authority too.
  const isAuthorityOnly = mode === 'verify-ca' || (!!root && (mode === 'require' || mode === 'true'))
  return {
    isOptional: mode === 'allow' || mode === 'prefer',
    isDirect: given.get('sslnegotiation') === 'direct',
    tls: {
      host,
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: isAuthorityOnly || mode === 'verify-full',
      ...(root && root !== 'system' && { ca: readFileSync(root) }),
      ...(isAuthorityOnly && { checkServerIdentity: () => undefined }),
    },
  }
}
