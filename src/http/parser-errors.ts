import type { Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Kind, Problem } from '#core/problem.ts'
import { standardHeaders } from './headers.ts'
import { targetLimitBytes } from './limits.ts'
import type { RequestLog } from './log.ts'
import { type RefusalRules, refusal } from './refusal.ts'
import { newTrack } from './track.ts'

export interface ParserErrorParts {
  readonly rules: RefusalRules
  readonly log: RequestLog
}

/** Gives the refusals that node:http would make by itself our body, our fields and a track id. */
export const answerParserErrors = (server: Server, parts: ParserErrorParts) => {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseRaw(socket, problemOf(error), parts)
  })
  server.on('connect', (_, socket) => refuseRaw(socket, connectRefused(), parts))
  server.on('dropRequest', (_, socket) => socket.destroy())
}

const kinds: Readonly<Record<string, Kind>> = {
  HPE_HEADER_OVERFLOW: 'headersTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/** Every method that some route has. */
export const allMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const connectRefused = () => new Problem('methodNotAllowed', { headers: { Allow: allMethods } })

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser stumbled over; a request's first ones, if it is short. */
  readonly rawPacket?: Buffer
}

const problemOf = (error: ParserError) => {
  if (error.code === 'HPE_INVALID_METHOD') return unknownMethod(error) ?? new Problem('httpSyntax')
  if (error.code === 'HPE_HEADER_OVERFLOW' && isInRequestLine(error)) return new Problem('targetTooLong')
  return new Problem(kinds[error.code ?? ''] ?? 'httpSyntax')
}

/** A method that the parser does not know, in a request line that is otherwise right. */
const unknownMethod = (error: ParserError) => {
  const line = error.rawPacket?.toString('latin1', 0, 1024).split('\r\n', 1)[0] ?? ''
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]$/.test(line) ? connectRefused() : undefined
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
  const lines = fields.flatMap((field, index) => (index % 2 === 0 ? `${field}: ${fields[index + 1]}` : []))
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
  log.refused(track, status)
}
