import { once as nextEvent } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { Address, Encryption } from './address.ts'

const keepAliveMs = 60_000

/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const sslRequestCode = 80877103

/** Opens a connection to the server, encrypted if the address says so. */
export const openSocket = async (address: Address, signal: AbortSignal): Promise<Socket> => {
  const { host, port, encryption } = address
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })
  try {
    await nextEvent(socket, 'connect', { signal })
    if (!encryption) return socket
    if (!encryption.isDirect && !(await isEncryptionOffered(socket, signal))) {
      if (encryption.isOptional) return socket
      throw new Error('the server does not support encryption')
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
  try {
    return await encrypt(socket, encryption, signal)
  } catch (error) {
    socket.destroy()
    if (encryption.isOptional && !signal.aborted)
      return openSocket({ ...address, encryption: undefined }, signal)
    throw error
  }
}

/** Asks the server for encryption. The answer is one byte. If more bytes arrive, a man in the middle may have injected them. */
const isEncryptionOffered = async (socket: Socket, signal: AbortSignal): Promise<boolean> => {
  const request = Buffer.alloc(8)
  request.writeInt32BE(8, 0)
  request.writeInt32BE(sslRequestCode, 4)
  socket.write(request)
  const answered = nextEvent(socket, 'data', { signal }) as Promise<[Buffer]>
  const [answer] = await Promise.race([answered, rejectOnClose(socket, signal)])
  socket.pause()
  if (answer.length !== 1)
    throw new Error('the server sent more than its one-byte answer to the request for encryption')
  return answer.toString('latin1') === 'S'
}

const rejectOnClose = async (socket: Socket, signal: AbortSignal): Promise<never> => {
  await nextEvent(socket, 'close', { signal })
  throw new Error('the server disconnected')
}

const encrypt = async (plain: Socket, { tls, isDirect }: Encryption, signal: AbortSignal) => {
  const socket = connectSecurely({
    ...tls,
    socket: plain,
    ...(isDirect && { ALPNProtocols: ['postgresql'] }),
  })
  await nextEvent(socket, 'secureConnect', { signal })
  return socket
}
