import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '#core/problem.ts'
import { hasArrived, hasBody, sendContinue } from './body.ts'
import { whenBroken } from './breaking.ts'
import type { Exchange } from './exchange.ts'
import { leave } from './leaving.ts'
import { unwantedLimitBytes } from './limits.ts'

/** Whether a request announces a longer body than is read to be thrown away. */
export const leavesTooMuch = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > unwantedLimitBytes

/**
 * Waits for the end of a body that nobody wants, because nothing may be done before its framing is known to be right. False
 * where all was there at once.
 */
export const waitedForEnd = async (exchange: Exchange): Promise<boolean> => {
  if (!hasBody(exchange) || (await hasArrived(exchange))) return false
  if (leavesTooMuch(exchange.incoming)) throw new Problem('bodyTooLarge')
  sendContinue(exchange)
  await end(exchange)
  return true
}

const end = ({ incoming }: Exchange) =>
  new Promise<void>((resolve, reject) => {
    let leftBytes = unwantedLimitBytes
    incoming.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length
      if (leftBytes < 0) reject(new Problem('bodyTooLarge'))
    })
    incoming.on('end', resolve)
    whenBroken(incoming, reject)
  })

/** Requests whose bodies still come after their answers. */
const trailing = new WeakMap<Duplex, IncomingMessage>()

/** Whether what comes on a connection is the rest of a request that has its answer. */
export const isTrailing = (socket: Duplex) => trailing.get(socket)?.complete === false

/** Reads a body that nobody wants to its end, so that the next request can come; but no endless one. */
export const discardRest = ({ incoming, outgoing }: Exchange) => {
  const { socket } = incoming
  trailing.set(socket, incoming)
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
