import type { Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Kind, Problem } from '#core/problem.ts'
import { asProblem } from './errors.ts'
import { pairs, standardHeaders } from './headers.ts'
import { targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { type RefusalRules, refusal } from './refusal.ts'
import { newTrack } from './track.ts'

export interface ParserErrorParts {
  readonly rules: RefusalRules
  /** What a method is answered that no target has. */
  readonly methodRefusal: (target: string) => Problem
  readonly log: RequestLog
}

/** Gives the refusals that node:http would make by itself our body, our fields and a track id. */
export const answerParserErrors = (server: Server, parts: ParserErrorParts) => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseRaw(socket, problemOf(error, parts), parts)
  })
  server.on('connect', (_, socket) => {
    keepForLastWords(socket)
    refuseRaw(socket, connectRefused(), parts)
  })
  server.on('dropRequest', (_, socket) => socket.destroy())
}

const kinds: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/** Every method that some route has. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const lastWordsMs = 1_000

/** A connection that asked for a tunnel is no longer node:http's: nobody else hears that it broke, or ends it. */
const keepForLastWords = (socket: Duplex) => {
  const timer = setTimeout(() => socket.destroy(), lastWordsMs)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => clearTimeout(timer))
  socket.resume()
}

const connectRefused = () => new Problem('methodNotAllowed', { headers: { Allow: allMethods } })

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser stumbled over; a request's first ones, if it is short. */
  readonly rawPacket?: Buffer
}

const problemOf = (error: ParserError, parts: ParserErrorParts) => {
  if (error.code === 'HPE_INVALID_METHOD') return unknownMethod(error, parts)
  if (error.code === 'HPE_HEADER_OVERFLOW' && isInRequestLine(error)) return new Problem('targetTooLong')
  return new Problem(kinds[error.code ?? ''] ?? 'httpSyntax')
}

/** A method that the parser does not know, in a request line that is otherwise right. */
const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]$/

const unknownMethod = ({ rawPacket }: ParserError, { methodRefusal }: ParserErrorParts) => {
  const [line = ''] = rawPacket?.toString('latin1').split('\r\n', 1) ?? []
  const target = requestLine.exec(line)?.[1]
  if (target === undefined) return new Problem('httpSyntax')
  try {
    return methodRefusal(target)
  } catch (error) {
    return asProblem(error)
  }
}

/** Whether the line that begins the request is what is too long. */
const isInRequestLine = ({ rawPacket }: ParserError) => {
  const [line = ''] = rawPacket?.toString('latin1').split('\r\n', 1) ?? []
  return line.length > targetLimitBytes && /^[A-Z]+ [/h*]/.test(line)
}

const refuseRaw = (socket: Duplex, problem: Problem, { rules, log }: ParserErrorParts) => {
  const track = newTrack()
  const { status, headers, body } = refusal(problem, { track, path: '' }, rules)
  const text = String(body)
  const fields = [...standardHeaders, 'X-Track', track, 'Date', new Date().toUTCString(), ...headers]
  fields.push('Content-Length', String(Buffer.byteLength(text)), 'Connection', 'close')
  const lines = pairs(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  log.refused(track, status)
}
