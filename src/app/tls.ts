import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { messageOf } from '#core/cause.ts'
import { type Config, SettingError, throwUnreadable } from '#src/config.ts'

interface TlsOptions extends SecureContextOptions {
  readonly cert: Buffer
}

/** Reads the certificate and its key. Undefined if the settings name none, for example because a proxy terminates TLS. */
export const readTls = async ({ TLS_CERT, TLS_KEY }: Config): Promise<TlsOptions | undefined> => {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return undefined
  const cert = await read('TLS_CERT', TLS_CERT)
  const key = await read('TLS_KEY', TLS_KEY)
  const options: TlsOptions = { cert, key, minVersion: 'TLSv1.2', ciphers }
  try {
    createSecureContext(options)
  } catch (error) {
    throw new SettingError(`TLS_CERT and TLS_KEY are not a certificate and its key: ${messageOf(error)}.`, {
      cause: error,
    })
  }
  return options
}

/** The time at which the certificate expires. Undefined without a certificate. */
export const certificateEnd = (tls: TlsOptions | undefined): Date | undefined =>
  tls && new X509Certificate(tls.cert).validToDate

/** Only ciphers with forward secrecy and authenticated encryption (AEAD). */
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

const read = (name: string, path: string) => readFile(path).catch(throwUnreadable(name, path))

/** Uses the renewed certificate for new connections. */
export const renewTls = (options: TlsOptions | undefined, servers: readonly (Server | undefined)[]) => {
  if (!options) return
  for (const server of servers) if (server instanceof SecureServer) server.setSecureContext(options)
}

const year = 365 * 24 * 60 * 60

/** Tells clients to use only TLS from now on (HSTS). */
export const strictTransport = ({ TLS_CERT }: Config): readonly string[] =>
  TLS_CERT === undefined ? [] : ['Strict-Transport-Security', `max-age=${year}`]
