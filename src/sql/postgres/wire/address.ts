import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { passwordIn } from './passfile.ts'
import { type Given, type Host, modeOf, parametersOf, readUrl } from './url.ts'

/** How to reach a server, from a URL and the environment. */
export interface Address extends Host {
  readonly user: string
  readonly password: string
  /** The reason if an existing password file is not used. */
  readonly passfileFault: string | undefined
  readonly database: string
  readonly encryption: Encryption | undefined
  /** Whether to bind the proof of the password to the server's certificate (RFC 5929). */
  readonly channelBinding: string
  /** How long a connection may take to open, if the URL says. */
  readonly connectMs: number | undefined
  /** Parameters sent when the connection opens, and `parameters` set afterwards, because poolers refuse them at the opening. */
  readonly startup: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
}

export interface Encryption {
  /** Continues unencrypted if the server offers no encryption. */
  readonly isOptional: boolean
  /** Starts TLS without asking whether the server supports it. */
  readonly isDirect: boolean
  readonly tls: ConnectionOptions
}

/** The address of one of the hosts of `postgres://user:password@host:port/database?name=value`. */
export const addressOf = (url: string, { host, port }: Host): Address => {
  const { given } = readUrl(url)
  const user = given.user || userInfo().username
  const database = given.dbname || user
  const passfile = given.passfile || join(homedir(), '.pgpass')
  const found = given.password ? {} : passwordIn(passfile, { host, port, database, user })
  const { application_name = 'rollcall', options } = given
  return {
    host,
    port,
    user,
    password: given.password || found.password || '',
    passfileFault: found.fault,
    database,
    encryption: host.startsWith('/') ? undefined : encryptionOf(given, host),
    channelBinding: given.channel_binding ?? 'prefer',
    connectMs: given.connect_timeout ? Number(given.connect_timeout) * 1_000 : undefined,
    startup: { application_name, ...(options && { options }) },
    parameters: parametersOf(given),
  }
}

/** The modes of libpq (https://www.postgresql.org/docs/current/libpq-ssl.html), except that `allow` means `prefer`. */
const encryptionOf = (given: Given, host: string): Encryption | undefined => {
  const { sslrootcert: root, sslcert, sslkey, sslpassword, sslnegotiation } = given
  const mode = modeOf(given)
  if (mode === 'disable') return undefined
  // With a root certificate, `require` also verifies the authority.
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
