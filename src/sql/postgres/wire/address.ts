import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'

/** How a server is reached, as a URL says it. */
export interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly encryption: Encryption | undefined
  /** Parameters of the session that the URL names. */
  readonly parameters: Readonly<Record<string, string>>
}

export interface Encryption {
  /** Without it when the server has none. */
  readonly isOptional: boolean
  /** Without asking whether the server can. */
  readonly isDirect: boolean
  readonly tls: ConnectionOptions
}

/** What a URL may say that is not for the server. */
const ours = ['sslmode', 'ssl', 'sslrootcert', 'sslnegotiation', 'target_session_attrs', 'connect_timeout']

/** The words of `postgres://user:password@host:port/database?name=value`, of which the host was chosen before. */
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

/** As libpq understands it (https://www.postgresql.org/docs/current/libpq-ssl.html); without a word there is none. */
const encryptionOf = (given: URLSearchParams, host: string): Encryption | undefined => {
  const root = given.get('sslrootcert')
  const mode = root === 'system' ? 'verify-full' : (given.get('sslmode') ?? given.get('ssl') ?? 'disable')
  if (mode === 'disable' || mode === 'false') return undefined
  if (!modes.includes(mode)) throw new Error(`sslmode=${mode} is not known`)
  // Of somebody who is named, `require` asks for a certificate too.
  const isOfNamed = mode === 'verify-ca' || (!!root && (mode === 'require' || mode === 'true'))
  return {
    isOptional: mode === 'allow' || mode === 'prefer',
    isDirect: given.get('sslnegotiation') === 'direct',
    tls: {
      host,
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: isOfNamed || mode === 'verify-full',
      ...(root && root !== 'system' && { ca: readFileSync(root) }),
      ...(isOfNamed && { checkServerIdentity: () => undefined }),
    },
  }
}
