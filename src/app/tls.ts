import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { messageOf } from '#core/cause.ts'
import { unreadable } from '#src/config/unreadable.ts'
import { type Config, SettingError } from '#src/config.ts'

interface TlsOptions extends SecureContextOptions {
  readonly cert: Buffer
}

/** Certificate and key as their files have them now; nothing where somebody else ends TLS. */
export const readTls = async ({ TLS_CERT, TLS_KEY }: Config): Promise<TlsOptions | undefined> => {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  const cert = await read('TLS_CERT', TLS_CERT)
  const key = await read('TLS_KEY', TLS_KEY)
  const options: TlsOptions = { cert, key, minVersion: 'TLSv1.2', ciphers }
  try {
    createSecureContext(options)
  } catch (error) {
    throw new SettingError(`TLS_CERT and TLS_KEY are no certificate and its key: ${messageOf(error)}.`, {
      cause: error,
    })
  }
  return options
}

/** Until when the certificate is valid; undefined where somebody else ends TLS. */
export const certificateEnd = (tls: TlsOptions | undefined): Date | undefined =>
  tls && new X509Certificate(tls.cert).validToDate

/** Those alone that keep what was said secret when the key is stolen later, and that seal what they encrypt. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

const read = (name: string, path: string) => readFile(path).catch(unreadable(name, path))

/** Certificates are renewed under the same names: connections that begin from now on get the new one. */
export const renewTls = (options: TlsOptions | undefined, servers: readonly (Server | undefined)[]) => {
  if (!options) return
  for (const server of servers) if (server instanceof SecureServer) server.setSecureContext(options)
}

const year = 365 * 24 * 60 * 60

/** Who was here with TLS once comes with TLS again. */
export const strictTransport = ({ TLS_CERT }: Config): readonly string[] =>
  TLS_CERT === undefined ? [] : ['Strict-Transport-Security', `max-age=${year}`]
