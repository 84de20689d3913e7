import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { serverLimits } from '../../src/http/wire/limits.ts'

/** One exchange as the service saw it: bodies in base64, the request's as far as it was read. */
export interface RecordedExchange {
  readonly method: string
  readonly target: string
  readonly requestFields: readonly string[]
  readonly sent: string
  readonly isWhole: boolean
  readonly status: number
  readonly responseFields: readonly string[]
  readonly answer: string
}

// Preloaded into every process of the suite: records what its servers answer below the prefix.
const folder = process.env.EXCHANGES
const file = join(folder ?? '', `${basename(process.argv[1] ?? 'service')}.${process.pid}`)
const maxBytes = 1024 * 1024

interface StartedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
}

if (folder !== undefined)
  subscribe('http.server.request.start', (message) => {
    const { request, response, server } = message as StartedExchange
    if (isOurs(server) && isOfApi(request.url)) record(request, response)
  })

/** Tells servers of the service by their limits from other servers that tests start. */
const isOurs = ({ headersTimeout, requestTimeout }: Server) =>
  headersTimeout === serverLimits.headersTimeout && requestTimeout === serverLimits.requestTimeout

const isOfApi = (target = '') => /^(?:https?:\/\/[^/]+)?\/api\/v1\//.test(target)

const record = (request: IncomingMessage, response: ServerResponse) => {
  const sent = captureBody(request)
  const answer = captureAnswer(response)
  response.once('finish', () => {
    const line: RecordedExchange = {
      method: request.method ?? '',
      target: request.url ?? '',
      requestFields: request.rawHeaders,
      sent: Buffer.concat(sent).toString('base64'),
      isWhole: request.complete,
      status: response.statusCode,
      responseFields: answer.headers,
      answer: Buffer.concat(answer.chunks).toString('base64'),
    }
    if (line.answer.length + line.sent.length <= maxBytes * 4)
      appendFileSync(file, `${JSON.stringify(line)}\n`)
  })
}

/** Intercepts `emit`, because a listener would make an unread body flow. */
const captureBody = (request: IncomingMessage): Buffer[] => {
  const chunks: Buffer[] = []
  const emit = request.emit.bind(request)
  request.emit = (name: string | symbol, ...args: unknown[]) => {
    if (name === 'data' && Buffer.isBuffer(args[0])) chunks.push(args[0])
    return emit(name, ...args)
  }
  return chunks
}

/** What is sent of a response. */
const captureAnswer = (response: ServerResponse) => {
  const capture = { headers: [] as readonly string[], chunks: [] as Buffer[] }
  const { writeHead, write, end } = response
  const keep = (chunk: unknown, encoding: unknown) => {
    if (Buffer.isBuffer(chunk)) capture.chunks.push(chunk)
    else if (typeof chunk === 'string') capture.chunks.push(Buffer.from(chunk, encodingOf(encoding)))
  }
  response.writeHead = (...args: unknown[]) => {
    capture.headers = args.find((arg) => Array.isArray(arg)) ?? []
    return Reflect.apply(writeHead, response, args)
  }
  response.write = (...args: unknown[]) => {
    keep(args[0], args[1])
    return Reflect.apply(write, response, args)
  }
  response.end = (...args: unknown[]) => {
    keep(args[0], args[1])
    return Reflect.apply(end, response, args)
  }
  return capture
}

const encodingOf = (encoding: unknown) =>
  typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
