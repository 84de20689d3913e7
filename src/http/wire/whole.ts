import type { ServerResponse } from 'node:http'
import { onceFor } from '#core/once.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { headersOf, keptOpen } from './headers.ts'
import { httpDate } from './http-date.ts'
import { STATUS_CODES } from './node-http.ts'
import { inOnePiece } from './one-piece.ts'

/**
 * Whether an answer can leave as one text: its request is complete and of HTTP/1.1, and its socket is the system's own,
 * which takes what it can at once. All other answers go through `ServerResponse`.
 */
export const leavesWhole = ({ incoming }: Exchange) =>
  incoming.complete && incoming.httpVersionMinor === 1 && !('encrypted' in incoming.socket)

/**
 * The head of an answer as `ServerResponse` would write it, without taking a list of fields apart and putting it together
 * again for each answer (decision 0039).
 */
export const headText = (
  { outgoing, track, extraHeaders }: Exchange,
  answer: Answer,
  sizeBytes: number | undefined,
): string => {
  const length = sizeBytes === undefined ? '' : `Content-Length: ${sizeBytes}\r\n`
  const own = linesOf(extraHeaders) + linesOf(answer.headers)
  const opening = `${statusLine(answer.status)}${standardLines(headersOf(answer))}X-Track: ${track}\r\n${length}`
  const connection = outgoing.shouldKeepAlive ? standardLines(keptOpen) : 'Connection: close\r\n'
  return `${opening}${own}Date: ${httpDate(Date.now())}\r\n${connection}\r\n`
}

/** Sends an answer, and tells node:http that it has ended once the system has taken all of it. One that broke off never ends. */
export const sendWhole = (outgoing: ServerResponse, head: string, ready: Ready) => {
  const { socket } = outgoing
  if (!socket?.writable) return
  const { body } = ready
  const encoding = encodingOf(ready)
  if (typeof body === 'string' && (encoding === oneBytePerCharacter || isAscii(head)))
    socket.write(head + body, encoding)
  else {
    socket.cork()
    socket.write(head, oneBytePerCharacter)
    socket.write(body)
    socket.uncork()
  }
  if (socket.errored) return
  if (!outgoing.shouldKeepAlive) closeAfter(outgoing)
  if (socket.writableLength === 0) outgoing.emit('finish')
  else
    socket.write('', (error) => {
      if (!error) outgoing.emit('finish')
    })
}

/** Tells node:http what it would know if it had written the head: that the connection closes once the answer has ended. */
const closeAfter = (outgoing: ServerResponse) => Object.assign(outgoing, { _last: true })

/** A text of ASCII alone needs no encoding: it goes out as is, together with the head before it. */
export const encodingOf = ({ body, sizeBytes }: Ready) =>
  body.length === sizeBytes ? oneBytePerCharacter : 'utf8'

const isAscii = (text: string) => Buffer.byteLength(text) === text.length

/** The encoding of heads. */
const oneBytePerCharacter = 'latin1'

/** A body that is complete. */
export interface Ready {
  readonly body: string | Buffer
  readonly sizeBytes: number
}

const statusLine = (status: number) => {
  statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  return statusLines[status]
}

const statusLines: string[] = []

const linesOf = (fields: readonly string[]) => {
  let text = ''
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${checked(fields[at + 1] ?? '')}\r\n`
  return text
}

/** For lists that never change: their lines are made once. */
const standardLines = onceFor((fields: readonly string[]) => inOnePiece(linesOf(fields)))

/** What a value may not contain: a line break would begin another field. */
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/

const checked = (value: string) => {
  if (forbiddenInValue.test(value)) throw new Error(`invalid header field value: ${JSON.stringify(value)}`)
  return value
}
