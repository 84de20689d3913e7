import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpSyntax, Problem, type ProblemKind } from '#core/problem.ts'
import type { AnswerProblem, RefusedRequest } from './answer.ts'
import { refuseInTurn } from './connection.ts'
import { asProblem } from './errors.ts'
import { allMethods, fieldsOf, headText } from './headers.ts'
import { targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { writeLast } from './send.ts'
import { pathOf, suffixOf, unencodedTarget } from './target.ts'
import { trackOf } from './track.ts'
import { isAboutMethod } from './undocumented.ts'

interface ParserErrorOptions {
  readonly answerProblem: AnswerProblem
  /** Refuses a method that no route has. */
  readonly methodRefusal: (target: string) => Problem
  readonly log: RequestLog
}

/** Replaces the refusals of node:http by ours, which have our error body, our fields and a track id. */
export const answerParserErrors = (server: Server, options: ParserErrorOptions) => {
  server.on('clientError', (error: ParserError, socket) => {
    if (isUnanswerable(error)) socket.destroy()
    else
      refuseInTurn(socket, {
        problemOfUnfinished: (incoming) => problemOfUnfinished(error, incoming),
        refuse: () => writeRefusal(socket, refusalFor(error, options), options),
      })
  })
  server.on('connect', ({ headers }, socket) => {
    // From here on node:http no longer listens for the socket's errors, and an unhandled error ends the process.
    socket.on('error', () => socket.destroy())
    const problem = new Problem('methodNotAllowed', { headers: { Allow: allMethods } })
    refuseInTurn(socket, {
      problemOfUnfinished: () => problem,
      refuse: () => writeRefusal(socket, { problem, refused: refusedRequest(headers) }, options),
    })
  })
}

interface ParserError extends NodeJS.ErrnoException {
  /** The chunk in which the parser failed. It may contain earlier requests too. */
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

/** No answer can reach a client that has gone or did not complete its TLS handshake. */
const isUnanswerable = ({ code }: ParserError) =>
  code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'

const kinds: Readonly<Record<string, ProblemKind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/** The problem with the rest of a request whose head was read. */
const problemOfUnfinished = ({ code = '' }: ParserError, { headers, socket }: IncomingMessage) => {
  const kind = kinds[code]
  if (kind) return new Problem(kind)
  const isChunk = headers['transfer-encoding'] !== undefined && !socket.readableEnded
  return isChunk ? httpSyntax({ code: 'Chunk' }) : new Problem('httpSyntax')
}

interface Refusal {
  readonly problem: Problem
  readonly refused: RefusedRequest
}

const refusalFor = (error: ParserError, options: ParserErrorOptions): Refusal => {
  if (!isAboutMethod(error)) return { problem: problemOf(error), refused: refusedRequest({}) }
  const { target, fields } = readHead(textFromMethod(error))
  return { problem: unknownMethod(target, options), refused: refusedRequest(fields, pathOf(target ?? '')) }
}

const problemOf = (error: ParserError) => {
  if (error.code === 'HPE_HEADER_OVERFLOW' && isTooLong(error)) return new Problem('targetTooLong')
  const [, target = ''] = /^[A-Z]+ ([^\r\n]+) HTTP\/1\.[01]\r/.exec(failedLine(error)) ?? []
  if (unencodedCharacter.test(target)) return unencodedTarget()
  return new Problem(kinds[error.code ?? ''] ?? 'httpSyntax')
}

/** A space ends the target, so the parser finds the rest of an unencoded target where it expects the version. */
const unencodedCharacter = /[ \x80-\xff]/

/** The text from the start of the line in which the parser stopped. */
const failedLine = ({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError) => {
  const start = rawPacket.subarray(0, bytesParsed).lastIndexOf('\n') + 1
  return rawPacket.toString('latin1', start, start + targetLimitBytes + 64)
}

/** True if the request line is too long, rather than the fields. */
const isTooLong = ({ rawPacket }: ParserError) => {
  const [line = ''] = rawPacket?.toString('latin1').split('\r\n', 1) ?? []
  return line.length > targetLimitBytes && /^[A-Z]+ [/h*]/.test(line)
}

const unknownMethod = (target: string | undefined, { methodRefusal }: ParserErrorOptions) => {
  if (target === undefined) return new Problem('httpSyntax')
  if (target.length > targetLimitBytes) return new Problem('targetTooLong')
  try {
    return methodRefusal(target)
  } catch (error) {
    return asProblem(error)
  }
}

const methodCharacter = /[!#$%&'*+.^_`|~0-9A-Za-z-]/

/** The text from the method at which the parser stopped. The body of the request before it may end in the same line. */
const textFromMethod = ({ rawPacket = Buffer.alloc(0), bytesParsed = 0 }: ParserError) => {
  let start = bytesParsed
  while (start > 0 && methodCharacter.test(String.fromCharCode(rawPacket[start - 1] ?? 0))) start--
  return rawPacket.toString('latin1', start)
}

/** A head that node:http has not parsed, because it does not know the method. */
interface Head {
  /** Undefined if the first line is not a request line of any method. */
  readonly target: string | undefined
  /** Empty if the head did not arrive all at once. */
  readonly fields: IncomingHttpHeaders
}

const requestLine = new RegExp(`^${methodCharacter.source}+ (\\S+) HTTP/1\\.[01]$`)
const headEnd = '\r\n\r\n'

const readHead = (text: string): Head => {
  const end = text.indexOf(headEnd)
  const [line = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n')
  return { target: requestLine.exec(line)?.[1], fields: end < 0 ? {} : fieldsIn(lines) }
}

/** Joins repeated fields as node:http does. */
const fieldsIn = (lines: readonly string[]): IncomingHttpHeaders => {
  const fields: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`
  }
  return fields
}

const refusedRequest = (fields: IncomingHttpHeaders, path = ''): RefusedRequest => ({
  track: trackOf(fields),
  path,
  suffix: suffixOf(path),
  accept: fields.accept,
  acceptLanguage: fields['accept-language'],
  origin: fields.origin,
})

const writeRefusal = (
  socket: Duplex,
  { problem, refused }: Refusal,
  { answerProblem, log }: ParserErrorOptions,
) => {
  const { track } = refused
  const answer = answerProblem(problem, refused)
  const body = String(answer.body)
  const sendOptions = { track, extraHeaders: [], sizeBytes: Buffer.byteLength(body), closesConnection: true }
  writeLast(socket, headText(answer.status, fieldsOf(answer, sendOptions)), body)
  log.parserRefusal(track, answer.status)
}
