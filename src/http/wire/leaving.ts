import type { Duplex } from 'node:stream'
import { lingerLimitBytes, lingerMs } from './limits.ts'

/** Whether a connection is being closed: whatever still arrives on it is ignored. */
export const isLeaving = (socket: Duplex) => leaving.has(socket)

const leaving = new WeakSet<Duplex>()

/**
 * Closes in stages (RFC 9112, 9.6). If the connection closed at once, a client that is still sending would get a reset and
 * lose an answer it has not read yet. So what it sends is read and discarded for a while; after that the connection is cut.
 */
export const leave = (socket: Duplex) => {
  if (leaving.has(socket)) return
  leaving.add(socket)
  Object.assign(socket, { destroySoon: keepOpen })
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.end()
  discardInput(socket)
}

/** Replaces node:http's destroySoon, which would destroy the socket before the caller has read its answer. */
const keepOpen = () => undefined

/** Takes the data away from the parser too, so that no further request is served. */
const discardInput = (socket: Duplex) => {
  let leftBytes = lingerLimitBytes
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) socket.destroy()
  })
  socket.resume()
  // A full body buffer may have stopped the reading below the stream, without the stream knowing.
  socket._read(0)
}
