import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { afterDeparture } from '#core/departure.ts'
import { httpSyntax, type Kind, Problem } from '#core/problem.ts'
import type { Refuse, Refused } from './answer.ts'
import { breakOff } from './breaking.ts'
import { asProblem } from './errors.ts'
import { allMethods, pairs, standardHeaders } from './headers.ts'
import { httpDate } from './http-date.ts'
import { answerOn } from './idle.ts'
import { isLeaving, leave } from './leaving.ts'
import { targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { STATUS_CODES } from './node-http.ts'
import { isMethodByte, type RawHead, readRawHead, refusedBy } from './raw-head.ts'
import { unencoded } from './target.ts'
import { isTrailing } from './unwanted.ts'

interface ParserErrorParts {
  readonly refusal: Refuse
  /** The refusal of a method that no place has. */
  readonly methodRefusal: (target: string) => Problem
  readonly log: RequestLog
}

/** Replaces the refusals that node:http would make by itself: ours have our body, our fields and a track id. */
export const answerParserErrors = (server: Server, parts: ParserErrorParts) => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (isUnanswerable(error)) socket.destroy()
    else if (isLeaving(socket) || error.code === afterClose) return
    else if (!socket.writable) socket.destroy()
    else refuseInTurn(socket, refusalFor(error, parts), parts)
  })
  server.on('connect', ({ headers }, socket) => {
    // From here on node:http no longer listens for the socket's errors, and an unhandled error ends the process.
    socket.on('error', () => socket.destroy())
    refuseInTurn(socket, { problem: connectRefused(), refused: refusedBy(headers) }, parts)
  })
  server.on('dropRequest', (_, socket) => socket.destroy())
}

/** The peer has gone, or does not complete its TLS handshake, so no answer can reach it. */
const isUnanswerable = ({ code }: NodeJS.ErrnoException) =>
  code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'

/** Whatever follows a request that closes the connection is ignored (RFC 9112, 9.6): the answer still goes out, then node closes. */
const afterClose = 'HPE_CLOSED_CONNECTION'

/** Connections whose refusal waits for its turn; further errors on them are ignored. */
const waiting = new WeakSet<Duplex>()

/** Whether a refusal follows the answers under way on a connection. */
export const isRefusalWaiting = (socket: Duplex) => waiting.has(socket)

/** Why a request is refused, and what is known about it. */
interface Refusal {
  readonly problem: Problem
  readonly refused: Refused
}

/**
 * Answers go out in the order of the requests (RFC 9112, 9.3.2), so requests that are complete are answered first. A
 * request that already has its answer gets no second one, and one that is still being handled answers with this refusal
 * itself.
 */
const refuseInTurn = (socket: Duplex, reason: Refusal, parts: ParserErrorParts) => {
  if (!waiting.has(socket)) afterAnswers(socket, reason, parts)
}

const afterAnswers = (socket: Duplex, reason: Refusal, parts: ParserErrorParts) => {
  const answer = answerOn(socket)
  if (!socket.writable) return
  if (!answer && isTrailing(socket)) leave(socket)
  else if (!answer) refuseRaw(socket, reason, parts)
  else if (answer.req.complete) {
    waiting.add(socket)
    answer.prependOnceListener('finish', () => keepOpenAfter(answer))
    answer.once('close', () => afterAnswers(socket, reason, parts))
  } else if (answer.headersSent) afterDeparture(() => leave(socket))
  else {
    waiting.add(socket)
    breakOff(answer.req, reason.problem)
  }
}

/** If the client has closed its half, node:http would close the connection after this answer, although another one follows. */
const keepOpenAfter = (answer: ServerResponse) => {
  if (answer.shouldKeepAlive && answer.req.httpVersionMinor === 1) Object.assign(answer, { _last: false })
}

const kinds: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

const connectRefused = () => new Problem('methodNotAllowed', { headers: { Allow: allMethods } })

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes in which the parser failed; earlier requests may be among them. */
  readonly rawPacket?: Buffer
  /** How many of them it had parsed. */
  readonly bytesParsed?: number
  /** What the parser expected, in its words. */
  readonly reason?: string
}

const refusalFor = (error: ParserError, parts: ParserErrorParts): Refusal => {
  if (error.code !== 'HPE_INVALID_METHOD') return { problem: problemOf(error), refused: refusedBy({}) }
  const head = readRawHead(fromFailedMethod(error))
  return { problem: unknownMethod(head, parts), refused: refusedBy(head.fields, head.path) }
}

const problemOf = (error: ParserError) => {
  if (error.code === 'HPE_HEADER_OVERFLOW' && isInRequestLine(error)) return new Problem('targetTooLong')
  if (error.code === 'HPE_INVALID_URL' && hasLetterBeyondAscii(fromFailedLine(error))) return unencoded()
  if (error.code === 'HPE_INVALID_CONSTANT' && hasSpaceInTarget(fromFailedLine(error))) return unencoded()
  if (isAboutChunks(error)) return httpSyntax({ code: 'Chunk' })
  return new Problem(kinds[error.code ?? ''] ?? 'httpSyntax')
}

const unknownMethod = ({ target }: RawHead, { methodRefusal }: ParserErrorParts) => {
  if (target === undefined) return new Problem('httpSyntax')
  if (target.length > targetLimitBytes) return new Problem('targetTooLong')
  try {
    return methodRefusal(target)
  } catch (error) {
    return asProblem(error)
  }
}

/** The bytes received together, from the line at which the parser stopped. */
const fromFailedLine = ({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError) => {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1
  return rawPacket.toString('latin1', start)
}

/** The same from the method at which it stopped: the body of the request before it may end in the same line. */
const fromFailedMethod = ({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError) => {
  let start = bytesParsed
  while (start > 0 && isMethodByte(rawPacket[start - 1] ?? 0)) start--
  return rawPacket.toString('latin1', start)
}

const hasLetterBeyondAscii = (text: string) => /^[^\r\n]*[\x80-\xff]/.test(text)

/** A space ends the target, so the parser found the rest of it where it expected the version. */
const hasSpaceInTarget = (text: string) => /^[A-Z]+ \S+ [^\r\n]* HTTP\/1\.[01]\r/.test(text)

/** The codes of these errors are also those of others. */
const isAboutChunks = ({ reason = '' }: ParserError) => /\bchunk (?:size|data|extension)/i.test(reason)

/** Whether it is the request line that is too long. */
const isInRequestLine = ({ rawPacket }: ParserError) => {
  const [line = ''] = rawPacket?.toString('latin1').split('\r\n', 1) ?? []
  return line.length > targetLimitBytes && /^[A-Z]+ [/h*]/.test(line)
}

const refuseRaw = (socket: Duplex, { problem, refused }: Refusal, { refusal, log }: ParserErrorParts) => {
  const { track } = refused
  const { status, headers, body } = refusal(problem, refused)
  const text = String(body)
  const fields = [...standardHeaders, 'X-Track', track, 'Date', httpDate(Date.now()), ...headers]
  fields.push('Content-Length', String(Buffer.byteLength(text)), 'Connection', 'close')
  const lines = pairs(fields).map(([name, value]) => `${name}: ${value}`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  leave(socket)
  log.refused(track, status)
}
