import { Readable } from 'node:stream'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { type HeaderList, headersOf } from './headers.ts'
import { httpDate } from './http-date.ts'

/** Writes what follows the head, and waits for a slow reader. */
type Rest = () => Promise<void> | void

/** Writes the head of an answer, with the fields that every answer has. */
export const sendHead = ({ outgoing, track, method, extraHeaders }: Exchange, answer: Answer): Rest => {
  const { status, body } = answer
  sayNothingOfTheConnection(outgoing)
  const headersWith = (fields: HeaderList) => [
    ...headersOf(answer),
    ...fields,
    ...extraHeaders,
    ...answer.headers,
    ...ownDate(answer),
  ]
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    const sizeBytes = body === undefined ? 0 : Buffer.byteLength(body)
    const hasLength = status !== 204 && status !== 304
    const fields = hasLength ? ['X-Track', track, 'Content-Length', String(sizeBytes)] : ['X-Track', track]
    outgoing.writeHead(status, headersWith(fields))
    if (method === 'HEAD' || sizeBytes === 0) return () => void outgoing.end()
    return () => void outgoing.end(body, sizeBytes === body?.length ? oneBytePerCharacter : 'utf8')
  }
  outgoing.writeHead(status, headersWith(['X-Track', track]))
  if (method !== 'HEAD') return () => stream(outgoing, body)
  outgoing.end()
  return () => letGo(answer)
}

/**
 * What a body holds, such as a place among the streams, is given back where nobody reads it. A generator is begun for that:
 * to end one that has not begun runs nothing of it.
 */
export const letGo = async ({ body }: Answer) => {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return
  if (body instanceof Readable) body.destroy()
  else for await (const _ of body) break
}

/** A connection of HTTP/1.1 stays by itself; to say so on every answer takes a twelfth of its time. */
const sayNothingOfTheConnection = (outgoing: Exchange['outgoing']) => {
  if (outgoing.shouldKeepAlive && outgoing.req.httpVersionMinor === 1) outgoing.removeHeader('Connection')
}

/** Node writes a date that it keeps for a second; no change may be dated later than the answer that tells of it. */
const ownDate = ({ headers }: Answer): HeaderList =>
  headers.includes('Last-Modified') ? ['Date', httpDate(Date.now())] : none

const none: HeaderList = []

/** Text without other characters needs no encoding: node writes it as it is. */
const oneBytePerCharacter = 'latin1'

/**
 * An answer that breaks off is broken off for the caller too: the last chunk never comes. A slow reader is waited for
 * until its chunk has left, not for `drain`: node counts the bytes of an answer, but the characters at its socket, so for
 * text of several bytes a character it may never come.
 */
const stream = async (outgoing: Exchange['outgoing'], body: AsyncIterable<string | Buffer>) => {
  let goOn: () => void = () => undefined
  let isGone = false
  outgoing.once('close', () => {
    isGone = true
    goOn()
  })
  try {
    for await (const chunk of body) {
      if (outgoing.destroyed) return
      await new Promise<void>((resolve) => {
        goOn = resolve
        if (outgoing.write(chunk, () => resolve())) resolve()
      })
      if (isGone) return
    }
    outgoing.end()
  } catch (error) {
    if (isGone) return
    outgoing.destroy()
    throw error
  }
}
