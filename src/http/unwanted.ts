import type { IncomingMessage } from 'node:http'
import type { Exchange } from './exchange.ts'
import { leave } from './leaving.ts'
import { unwantedLimitBytes } from './limits.ts'

/** Whether a request says of its body that it is longer than anybody would take off. */
export const leavesTooMuch = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > unwantedLimitBytes

/** A body that nobody wants is taken off the connection, so that the next request can come; but no endless one. */
export const takeOff = ({ incoming, outgoing }: Exchange) => {
  const { socket } = incoming
  let leftBytes = unwantedLimitBytes
  incoming.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes >= 0) return
    outgoing.shouldKeepAlive = false
    if (outgoing.writableFinished) leave(socket)
    else incoming.pause()
  })
  outgoing.prependOnceListener('finish', () => {
    if (!incoming.complete && !outgoing.shouldKeepAlive) leave(socket)
  })
}
