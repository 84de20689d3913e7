import { type Duplex, Readable } from 'node:stream'
import type { Answer } from './answer.ts'
import { closeInStages } from './connection.ts'
import type { Exchange } from './exchange.ts'
import { fieldsOf, headText } from './headers.ts'

/** Writes an answer with the fields that every answer has. Returns a promise if the body is generated while it is sent. */
export const send = (exchange: Exchange, answer: Answer, isLast: boolean): Promise<void> | undefined => {
  const { incoming, outgoing, method } = exchange
  const { status, body } = answer
  if (!isWhole(body)) {
    writeHead(exchange, answer, { sizeBytes: undefined, isLast })
    if (method !== 'HEAD') return stream(outgoing, body)
    outgoing.end()
    return release(answer)
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const sizeBytes = status === 204 || status === 304 ? undefined : length
  const sent = method === 'HEAD' || sizeBytes === undefined ? undefined : body
  if (isLast && !incoming.complete) {
    // node:http would close the connection while the request is still arriving, and the caller might lose the answer.
    writeLast(incoming.socket, headText(status, fieldsOf(answer, { ...exchange, sizeBytes, isLast })), sent)
    return undefined
  }
  writeHead(exchange, answer, { sizeBytes, isLast })
  // Pure ASCII needs no encoding: it goes out as is, together with the head before it.
  outgoing.end(sent, sent?.length === length ? 'latin1' : 'utf8')
  return undefined
}

/** Writes the last answer of a connection without node:http, and closes the connection in stages. */
export const writeLast = (socket: Duplex, head: string, body: string | Buffer = '') => {
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(body)
  socket.uncork()
  closeInStages(socket)
}

const isWhole = (body: Answer['body']): body is string | Buffer | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body)

const writeHead = (
  { incoming, outgoing, track, extraHeaders }: Exchange,
  answer: Answer,
  end: { readonly sizeBytes: number | undefined; readonly isLast: boolean },
) => {
  // An HTTP/1.1 connection stays open by default; saying so on every answer takes a twelfth of the answer's time.
  if (incoming.httpVersionMinor === 1) outgoing.removeHeader('Connection')
  outgoing.writeHead(answer.status, fieldsOf(answer, { track, extraHeaders, ...end }))
}

/**
 * Releases the resources of an unread body, such as its slot among the streams. A generator must be started for that: ending
 * one that has not started runs none of its code.
 */
export const release = async ({ body }: Answer) => {
  if (isWhole(body)) return
  if (body instanceof Readable) body.destroy()
  else for await (const _ of body) break
}

/**
 * If the body fails half-way, the caller notices because the last chunk never comes. With a slow reader, this waits until the
 * chunk is written, not for `drain`: Node counts bytes in the answer but characters in its socket, so for text with several
 * bytes per character `drain` may never come.
 */
const stream = async (outgoing: Exchange['outgoing'], body: AsyncIterable<string | Buffer>) => {
  let resume: () => void = () => undefined
  let isClosed = false
  outgoing.once('close', () => {
    isClosed = true
    resume()
  })
  try {
    for await (const chunk of body) {
      if (outgoing.destroyed) return
      await new Promise<void>((resolve) => {
        resume = resolve
        if (outgoing.write(chunk, () => resolve())) resolve()
      })
      if (isClosed) return
    }
    outgoing.end()
  } catch (error) {
    if (isClosed) return
    outgoing.destroy()
    throw error
  }
}
