import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { passwordIn } from './passfile.ts'
import { type ConnectionParameters, type Host, readUrl, sessionParametersOf, sslModeOf } from './url.ts'

/** A server and the login to it, from a URL and the environment. */
export interface Address extends Host {
  readonly user: string
  readonly password: string
  /** The reason if an existing password file is not used. */
  readonly passfileFault: string | undefined
  readonly database: string
  readonly encryption: Encryption | undefined
  /** The mode of binding the proof of the password to the server's certificate (RFC 5929). */
  readonly channelBinding: string
  /** The time limit for opening a connection. Undefined if the URL has none. */
  readonly connectMs: number | undefined
  /** Sent when the connection opens. The session parameters are set later, because poolers refuse them when a connection opens. */
  readonly startupParameters: Readonly<Record<string, string>>
  readonly sessionParameters: Readonly<Record<string, string>>
}

export interface Encryption {
  /** Continues unencrypted if the server offers no encryption. */
  readonly isOptional: boolean
  /** Starts TLS without asking whether the server supports it. */
  readonly isDirect: boolean
  readonly tls: ConnectionOptions
}

/** The address of this host of the URL `postgres://user:password@host:port/database?name=value`. */
export const addressOf = (url: string, { host, port }: Host): Address => {
  const { parameters } = readUrl(url)
  const user = parameters.user || userInfo().username
  const database = parameters.dbname || user
  const passfile = parameters.passfile || join(homedir(), '.pgpass')
  const fromPassfile = parameters.password ? {} : passwordIn(passfile, { host, port, database, user })
  const { application_name = 'rollcall', options } = parameters
  return {
    host,
    port,
    user,
    password: parameters.password || fromPassfile.password || '',
    passfileFault: fromPassfile.fault,
    database,
    encryption: host.startsWith('/') ? undefined : encryptionOf(parameters, host),
    channelBinding: parameters.channel_binding ?? 'prefer',
    connectMs: parameters.connect_timeout ? Number(parameters.connect_timeout) * 1_000 : undefined,
    startupParameters: { application_name, ...(options && { options }) },
    sessionParameters: sessionParametersOf(parameters),
  }
}

/** The modes of libpq (https://www.postgresql.org/docs/current/libpq-ssl.html), except that `allow` means `prefer`. */
const encryptionOf = (parameters: ConnectionParameters, host: string): Encryption | undefined => {
  const { sslrootcert: root, sslcert, sslkey, sslpassword, sslnegotiation } = parameters
  const mode = sslModeOf(parameters)
  if (mode === 'disable') return undefined
  // If there is a root certificate, `require` also verifies the authority.
  const isAuthorityOnly = mode === 'verify-ca' || (!!root && (mode === 'require' || mode === 'true'))
  return {
    isOptional: mode === 'allow' || mode === 'prefer',
    isDirect: sslnegotiation === 'direct',
    tls: {
      host,
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: isAuthorityOnly || mode === 'verify-full',
      ...(root && root !== 'system' && { ca: readFileSync(root) }),
      ...(sslcert && sslkey && { cert: readFileSync(sslcert), key: readFileSync(sslkey) }),
      ...(sslpassword !== undefined && { passphrase: sslpassword }),
      ...(isAuthorityOnly && { checkServerIdentity: () => undefined }),
    },
  }
}
