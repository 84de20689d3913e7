import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What was sent of a response. */
export interface Overheard {
  headers: readonly string[]
  readonly chunks: Buffer[]
}

/** Captures what is sent of a response, whichever way it takes. */
export const overhear = (socket: Socket, response: ServerResponse): Overheard => {
  const capture = throughResponse(response)
  const answers = answersOn(socket)
  answers.push(capture)
  response.once('finish', () => answers.splice(answers.indexOf(capture), 1))
  return capture
}

const throughResponse = (response: ServerResponse): Overheard => {
  const capture: Overheard = { headers: [], chunks: [] }
  const { writeHead, write, end } = response
  const keep = (chunk: unknown, encoding: unknown) => {
    if (Buffer.isBuffer(chunk)) capture.chunks.push(chunk)
    else if (typeof chunk === 'string') capture.chunks.push(Buffer.from(chunk, encodingOf(encoding)))
  }
  response.writeHead = (...args: unknown[]) => {
    const headers = args.find((arg) => Array.isArray(arg))
    if (headers !== undefined) capture.headers = headers as string[]
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

/** The responses in progress on each connection, in the order in which they are sent. */
const underWay = new WeakMap<Socket, Overheard[]>()

/** What bypasses `ServerResponse` (decision 0039) is captured where it is written to the socket. */
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
      whole = isKnown(answers, head) ? undefined : answers.find(({ headers }) => headers.length === 0)
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

/** Whether `ServerResponse` has already passed it on, or it is a `100 Continue`, which has no track. */
const isKnown = (answers: readonly Overheard[], head: readonly string[]) => {
  const track = trackOf(head)
  return track === undefined || answers.some(({ headers }) => trackOf(headers) === track)
}

const trackOf = (fields: readonly string[]) =>
  fields.find((_, at) => at % 2 === 1 && fields[at - 1]?.toLowerCase() === 'x-track')

const encodingOf = (encoding: unknown) =>
  typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
