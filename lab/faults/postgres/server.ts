import { chmodSync } from 'node:fs'
import { dirname } from 'node:path'
import { freePort } from '../../../test/free-port.ts'
import { initialize, postgresServer } from '../../../test/postgres-server.ts'

/** Of every server of the faults: small, and durable as by default. */
export const settings = { max_connections: '60', max_wal_senders: '5', shared_buffers: '32MB' }

export const openServer = async (directory: string) => {
  // PostgreSQL is not run as root.
  chmodSync(dirname(directory), 0o711)
  initialize(directory)
  const server = postgresServer({ directory, port: await freePort(), settings })
  await server.start()
  await server.ask('CREATE DATABASE rollcall')
  return server
}

export const urlOf = (...servers: readonly { port: number }[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}/rollcall`
