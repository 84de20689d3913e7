import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '#core/problem.ts'
import { whenBroken } from './breaking.ts'
import { type Exchange, hasArrived, hasBody, sendContinue } from './exchange.ts'
import { leave } from './leaving.ts'
import { unwantedLimitBytes } from './limits.ts'

/** Whether a request announces a longer body than we are willing to read and discard. */
export const leavesTooMuch = ({ complete, headers }: IncomingMessage) =>
  !complete && Number(headers['content-length'] ?? 0) > unwantedLimitBytes

/**
 * Waits for the end of an unwanted body, because nothing may be done before its framing is known to be right. If it is
 * longer than we are willing to discard, the connection ends with the answer: a refusal of a DELETE, which cannot be taken
 * back. False if there was nothing to wait for.
 */
export const waitedForEnd = async (exchange: Exchange): Promise<boolean> => {
  if (!hasBody(exchange) || (await hasArrived(exchange))) return false
  const isTooLong = leavesTooMuch(exchange.incoming) || !(await endsInTime(exchange))
  if (isTooLong && exchange.method === 'DELETE') throw new Problem('bodyTooLarge')
  return true
}

const endsInTime = (exchange: Exchange) => {
  sendContinue(exchange)
  const { incoming } = exchange
  return new Promise<boolean>((resolve, reject) => {
    let leftBytes = unwantedLimitBytes
    incoming.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length
      if (leftBytes < 0) resolve(false)
    })
    incoming.on('end', () => resolve(true))
    whenBroken(incoming, reject)
  })
}

/** Requests whose bodies are still arriving after their answers. */
const trailing = new WeakMap<Duplex, IncomingMessage>()

/** Whether what arrives on a connection is the rest of a request that already has its answer. */
export const isTrailing = (socket: Duplex) => trailing.get(socket)?.complete === false

/** Reads and discards the rest of an unwanted body, up to a limit, so that the next request can come. */
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
