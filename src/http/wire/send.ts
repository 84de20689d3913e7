import { Readable } from 'node:stream'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { headersOf, keptOpen } from './headers.ts'
import { httpDate } from './http-date.ts'
import { encodingOf, headText, leavesWhole, type Ready, sendWhole } from './whole.ts'

/** Writes what is not written yet, and waits for a slow reader. */
export type Rest = () => Promise<void> | undefined

/** Prepares an answer to leave, with the fields that every answer has. */
export const makeReady = (exchange: Exchange, answer: Answer): Rest => {
  const { outgoing, method } = exchange
  const { status, body } = answer
  const isReady = body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
  if (!isReady) {
    writeHead(exchange, answer, undefined)
    if (method !== 'HEAD') return () => stream(outgoing, body)
    outgoing.end()
    return () => release(answer)
  }
  const sizeBytes = body === undefined ? 0 : Buffer.byteLength(body)
  const length = status === 204 || status === 304 ? undefined : sizeBytes
  const sent = method === 'HEAD' || length === undefined || body === undefined ? nothing : { body, sizeBytes }
  if (leavesWhole(exchange)) {
    // For tools that instrument node:http and do not know us.
    outgoing.statusCode = status
    const head = headText(exchange, answer, length)
    return () => void sendWhole(outgoing, head, sent)
  }
  writeHead(exchange, answer, length)
  return () => void outgoing.end(sent.body, encodingOf(sent))
}

const nothing: Ready = { body: '', sizeBytes: 0 }

/** The date is written here because node:http's may be a second old: no answer may be dated before the change that it reports. */
const writeHead = (exchange: Exchange, answer: Answer, sizeBytes: number | undefined) => {
  const { outgoing, track, extraHeaders } = exchange
  omitConnectionField(outgoing)
  const length = sizeBytes === undefined ? [] : ['Content-Length', String(sizeBytes)]
  outgoing.writeHead(answer.status, [
    ...headersOf(answer),
    'X-Track',
    track,
    ...length,
    ...extraHeaders,
    ...answer.headers,
    'Date',
    httpDate(Date.now()),
    ...(outgoing.shouldKeepAlive ? keptOpen : []),
  ])
}

/**
 * Releases what an unread body holds, such as a place among the streams. A generator must be started for that: ending one
 * that has not started runs none of its code.
 */
export const release = async ({ body }: Answer) => {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return
  if (body instanceof Readable) body.destroy()
  else for await (const _ of body) break
}

/** An HTTP/1.1 connection stays open by default; saying so on every answer takes a twelfth of the answer's time. */
const omitConnectionField = (outgoing: Exchange['outgoing']) => {
  if (outgoing.shouldKeepAlive && outgoing.req.httpVersionMinor === 1) outgoing.removeHeader('Connection')
}

/**
 * When an answer fails half-way, the caller can tell: the last chunk never comes. For a slow reader this waits until the
 * chunk has left, not for `drain`: node counts bytes in the answer but characters at its socket, so for text with several
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
