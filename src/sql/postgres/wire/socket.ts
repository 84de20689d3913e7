import { once as nextEvent } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { Address, Encryption } from './address.ts'

const keepAliveMs = 60_000

/** Opens a connection to the server, encrypted if the address says so. */
export const openSocket = async (address: Address, signal: AbortSignal): Promise<Socket> => {
  const { host, port, encryption } = address
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })
  try {
    await nextEvent(socket, 'connect', { signal })
    if (!encryption) return socket
    if (!encryption.isDirect && !(await isOffered(socket, signal))) {
      if (encryption.isOptional) return socket
      throw new Error('the server does not support encryption')
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
  try {
    return await encrypted(socket, encryption, signal)
  } catch (error) {
    socket.destroy()
    if (encryption.isOptional && !signal.aborted)
      return openSocket({ ...address, encryption: undefined }, signal)
    throw error
  }
}

/** Asks for encryption. The answer is one byte; more bytes may be injected by a man in the middle, so they are refused. */
const isOffered = async (socket: Socket, signal: AbortSignal): Promise<boolean> => {
  const request = Buffer.alloc(8)
  request.writeInt32BE(8, 0)
  request.writeInt32BE(80877103, 4)
  socket.write(request)
  const answered = nextEvent(socket, 'data', { signal }) as Promise<[Buffer]>
  const [answer] = await Promise.race([answered, disconnected(socket, signal)])
  socket.pause()
  if (answer.length !== 1) throw new Error('the server answered before it was asked')
  return answer.toString('latin1') === 'S'
}

const disconnected = async (socket: Socket, signal: AbortSignal): Promise<never> => {
  await nextEvent(socket, 'close', { signal })
  throw new Error('the server disconnected')
}

const encrypted = async (plain: Socket, { tls, isDirect }: Encryption, signal: AbortSignal) => {
  const socket = connectSecurely({
    ...tls,
    socket: plain,
    ...(isDirect && { ALPNProtocols: ['postgresql'] }),
  })
  await nextEvent(socket, 'secureConnect', { signal })
  return socket
}
