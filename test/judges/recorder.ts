import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import { serverLimits } from '../../src/http/limits.ts'

/** One exchange as the service saw it: bodies in base64, that of the request as far as it was read. */
export interface Recorded {
  readonly method: string
  readonly target: string
  readonly asked: readonly string[]
  readonly sent: string
  readonly isWhole: boolean
  readonly status: number
  readonly told: readonly string[]
  readonly answer: string
}

// Preloaded into every process of the suite: notes what any server of it answers below the prefix.
const folder = process.env.EXCHANGES
const file = join(folder ?? '', `${basename(process.argv[1] ?? 'service')}.${process.pid}`)
const mostBytes = 1024 * 1024

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly server: Server
}

if (folder !== undefined)
  subscribe('http.server.request.start', (message) => {
    const { request, response, server } = message as Started
    if (isOurs(server) && isOfApi(request.url)) record(request, response)
  })

/** Tests have servers of their own before and beside the service; those have no such limits. */
const isOurs = ({ headersTimeout, requestTimeout }: Server) =>
  headersTimeout === serverLimits.headersTimeout && requestTimeout === serverLimits.requestTimeout

const isOfApi = (target = '') => /^(?:https?:\/\/[^/]+)?\/api\/v1\//.test(target)

const record = (request: IncomingMessage, response: ServerResponse) => {
  const sent = listening(request)
  const answer = overhearing(response)
  const answers = answersOn(request.socket)
  answers.push(answer)
  response.once('finish', () => {
    answers.splice(answers.indexOf(answer), 1)
    const line: Recorded = {
      method: request.method ?? '',
      target: request.url ?? '',
      asked: request.rawHeaders,
      sent: Buffer.concat(sent).toString('base64'),
      isWhole: request.complete,
      status: response.statusCode,
      told: answer.headers,
      answer: Buffer.concat(answer.chunks).toString('base64'),
    }
    if (line.answer.length + line.sent.length <= mostBytes * 4)
      appendFileSync(file, `${JSON.stringify(line)}\n`)
  })
}

/** A listener of our own would make a body flow that nobody reads. */
const listening = (request: IncomingMessage): Buffer[] => {
  const chunks: Buffer[] = []
  const emit = request.emit.bind(request)
  request.emit = (name: string | symbol, ...args: unknown[]) => {
    if (name === 'data' && Buffer.isBuffer(args[0])) chunks.push(args[0])
    return emit(name, ...args)
  }
  return chunks
}

interface Overheard {
  headers: readonly string[]
  readonly chunks: Buffer[]
}

const overhearing = (response: ServerResponse): Overheard => {
  const heard: Overheard = { headers: [], chunks: [] }
  const { writeHead, write, end } = response
  const keep = (chunk: unknown, encoding: unknown) => {
    if (Buffer.isBuffer(chunk)) heard.chunks.push(chunk)
    else if (typeof chunk === 'string') heard.chunks.push(Buffer.from(chunk, encodingOf(encoding)))
  }
  response.writeHead = (...args: unknown[]) => {
    const headers = args.find((arg) => Array.isArray(arg))
    if (headers !== undefined) heard.headers = headers as string[]
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
  return heard
}

/** The answers under way on each connection, in the order in which they leave. */
const underWay = new WeakMap<Socket, Overheard[]>()

/** What leaves past `ServerResponse` (decision 0039) is overheard where it is written. */
const answersOn = (socket: Socket): Overheard[] => {
  const known = underWay.get(socket)
  if (known) return known
  const answers: Overheard[] = []
  underWay.set(socket, answers)
  const { write } = socket
  let whole: Overheard | undefined
  socket.write = (...args: unknown[]) => {
    const [chunk, encoding] = args
    if (typeof chunk === 'string' && chunk.startsWith('HTTP/1.1 ')) {
      const head = headOf(chunk)
      whole = isHeard(answers, head) ? undefined : answers.find(({ headers }) => headers.length === 0)
      if (whole) {
        whole.headers = head
        whole.chunks.push(
          Buffer.from(chunk.slice(chunk.indexOf(headEnd) + headEnd.length), encodingOf(encoding)),
        )
      }
    } else if (Buffer.isBuffer(chunk)) whole?.chunks.push(chunk)
    return Reflect.apply(write, socket, args)
  }
  return answers
}

const headEnd = '\r\n\r\n'

const headOf = (text: string): readonly string[] => {
  const [, ...lines] = text.slice(0, text.indexOf(headEnd)).split('\r\n')
  return lines.flatMap((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at), line.slice(at + 2)]
  })
}

/** `ServerResponse` told it before, or it is a `100 Continue`, which has no track. */
const isHeard = (answers: readonly Overheard[], head: readonly string[]) => {
  const track = trackOf(head)
  return track === undefined || answers.some(({ headers }) => trackOf(headers) === track)
}

const trackOf = (fields: readonly string[]) =>
  fields.find((_, at) => at % 2 === 1 && fields[at - 1]?.toLowerCase() === 'x-track')

const encodingOf = (encoding: unknown) =>
  typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
