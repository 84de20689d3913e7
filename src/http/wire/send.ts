import { type Duplex, Readable } from 'node:stream'
import type { Answer } from './answer.ts'
import { closeInStages } from './connection.ts'
import type { Exchange } from './exchange.ts'
import { fieldsOf, headText } from './headers.ts'

/** Writes an answer with the fields that every answer has. Returns a promise if the body is generated while it is sent. */
export const send = (
  exchange: Exchange,
  answer: Answer,
  closesConnection: boolean,
): Promise<void> | undefined => {
  const { incoming, outgoing, method } = exchange
  const { status, body } = answer
  if (!isInMemory(body)) {
    writeHead(exchange, answer, { sizeBytes: undefined, closesConnection })
    if (method !== 'HEAD') return streamBody(outgoing, body)
    outgoing.end()
    return releaseBody(answer)
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const sizeBytes = status === 204 || status === 304 ? undefined : length
  const sent = method === 'HEAD' || sizeBytes === undefined ? undefined : body
  if (closesConnection && !incoming.complete) {
    // node:http would close the connection while the request is still arriving, and the caller might lose the answer.
    writeLast(
      incoming.socket,
      headText(status, fieldsOf(answer, { ...exchange, sizeBytes, closesConnection })),
      sent,
    )
    return undefined
  }
  writeHead(exchange, answer, { sizeBytes, closesConnection })
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

const isInMemory = (body: Answer['body']): body is string | Buffer | undefined =>
  body === undefined || typeof body === 'string' || Buffer.isBuffer(body)

const writeHead = (
  { incoming, outgoing, track, extraHeaders }: Exchange,
  answer: Answer,
  framing: { readonly sizeBytes: number | undefined; readonly closesConnection: boolean },
) => {
  // An HTTP/1.1 connection stays open by default; saying so on every answer takes a twelfth of the answer's time.
  if (incoming.httpVersionMinor === 1) outgoing.removeHeader('Connection')
  outgoing.writeHead(answer.status, fieldsOf(answer, { track, extraHeaders, ...framing }))
}

/**
 * Releases what an unsent body holds, such as its slot among the event streams. A generator is started first, because ending
 * one that has not started does not run its `finally`.
 */
export const releaseBody = async ({ body }: Answer) => {
  if (isInMemory(body)) return
  if (body instanceof Readable) body.destroy()
  else for await (const _ of body) break
}

/**
 * Sends a body piece by piece. If the body fails half-way, the caller notices because the last chunk never comes. If the caller
 * reads slowly, this waits until the piece is written, not for `drain`: Node counts bytes in the answer but characters in its
 * socket, so for text with several bytes per character `drain` may never come.
 */
const streamBody = async (outgoing: Exchange['outgoing'], body: AsyncIterable<string | Buffer>) => {
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
