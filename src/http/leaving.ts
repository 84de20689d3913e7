import type { Duplex } from 'node:stream'
import { lingerLimitBytes, lingerMs } from './limits.ts'

/** Whether a connection is being given up: what still comes on it is nothing. */
export const isLeaving = (socket: Duplex) => leaving.has(socket)

const leaving = new WeakSet<Duplex>()

/**
 * Closes in stages (RFC 9112, 9.6). Who is still sending would be told by a reset, which takes the answer away that it
 * has not read; so what it sends is taken and thrown away for a while. Who never closes is cut off then.
 */
export const leave = (socket: Duplex) => {
  if (leaving.has(socket)) return
  leaving.add(socket)
  Object.assign(socket, { destroySoon: leftToUs })
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => socket.destroy())
  socket.end()
  throwAway(socket)
}

/** Replaces node:http's destroySoon, which would destroy the socket before the caller has read its answer. */
const leftToUs = () => undefined

/** Also from the parser: no request that follows may be served. */
const throwAway = (socket: Duplex) => {
  let leftBytes = lingerLimitBytes
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) socket.destroy()
  })
  socket.resume()
  // Where a full body had stopped the reading below the stream, the stream does not know.
  socket._read(0)
}
