import type { IncomingMessage } from 'node:http'
import { brokenOff, Problem } from '#core/problem.ts'
import { hasArrived, hasBody, sayContinue } from './body.ts'
import type { Exchange } from './exchange.ts'
import { leave } from './leaving.ts'
import { unwantedLimitBytes } from './limits.ts'

/** Whether a request says of its body that it is longer than anybody would take off. */
export const leavesTooMuch = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > unwantedLimitBytes

/**
 * Waits for the end of a body that nobody wants: before it is known that its framing is right, nothing is done. False where
 * all was there at once.
 */
export const waitedForEnd = async (exchange: Exchange): Promise<boolean> => {
  if (!hasBody(exchange) || (await hasArrived(exchange))) return false
  if (leavesTooMuch(exchange.incoming)) throw new Problem('bodyTooLarge')
  sayContinue(exchange)
  await end(exchange)
  return true
}

const end = ({ incoming }: Exchange) =>
  new Promise<void>((resolve, reject) => {
    if (incoming.destroyed) return reject(brokenOff())
    let leftBytes = unwantedLimitBytes
    incoming.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length
      if (leftBytes < 0) reject(new Problem('bodyTooLarge'))
    })
    incoming.on('end', resolve)
    incoming.on('close', () => incoming.complete || reject(brokenOff()))
  })

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
