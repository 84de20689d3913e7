import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { connect as connectSecurely, TLSSocket } from 'node:tls'
import { certificate } from './certificate.ts'

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Passes everything on between a client and a PostgreSQL server, and speaks TLS with both. On request it hides that the server
 * offers to bind a login to its certificate.
 */
export const interceptor = async (t: TestContext, serverPort: number, hides = false): Promise<number> => {
  const { TLS_KEY, TLS_CERT } = certificate()
  const own = { key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }
  const intercept = async (plain: Socket) => {
    await once(plain, 'data')
    plain.write('S')
    const client = new TLSSocket(plain, { isServer: true, ...own })
    const upstream = connect(serverPort, '127.0.0.1')
    upstream.write(sslRequest)
    await once(upstream, 'data')
    const server = connectSecurely({ socket: upstream, rejectUnauthorized: false })
    for (const socket of [client, server]) socket.on('error', () => socket.destroy())
    client.on('close', () => server.destroy()).pipe(server)
    server.on('close', () => client.destroy())
    server.on('data', (bytes: Buffer) => client.write(hides ? withoutOffer(bytes) : bytes))
  }
  const listener = createServer((socket) => void intercept(socket).catch(() => socket.destroy()))
  t.after(() => listener.close())
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return (listener.address() as AddressInfo).port
}

/** Removes SCRAM-SHA-256-PLUS from the mechanisms that a server offers. */
const withoutOffer = (bytes: Buffer): Buffer => {
  const text = bytes.toString('latin1')
  const left = text.replace('SCRAM-SHA-256-PLUS\0', '')
  const changed = Buffer.from(left, 'latin1')
  if (left !== text) changed.writeInt32BE(changed.length - 1, 1)
  return changed
}
