import { connect } from 'node:net'

/** A response delimited by its framing, as our own parser reads it. */
export interface FramedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Connection {
  /** The final response to a request; rejects if none comes in time or it is malformed. */
  readonly ask: (bytes: Buffer, isHead: boolean) => Promise<FramedResponse>
  readonly isOpen: () => boolean
  readonly close: () => void
}

export const openConnection = async (port: number, timeoutMs: number): Promise<Connection> => {
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  socket.setNoDelay()
  let open = true
  let received: Buffer = Buffer.alloc(0)
  let wake = (): void => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  const end = (): void => {
    open = false
    wake()
  }
  socket.on('error', end).on('close', end).on('end', end)

  const drop = (): void => {
    open = false
    socket.destroy()
  }
  const ask = async (bytes: Buffer, isHead: boolean): Promise<FramedResponse> => {
    socket.write(bytes)
    const timer = setTimeout(() => socket.destroy(new Error('time')), timeoutMs)
    try {
      for (;;) {
        const found = frame(received, { isHead, isOver: !open })
        if (found !== undefined) {
          received = received.subarray(found.length)
          if (found.answer.headers.connection === 'close') drop()
          if (found.answer.status >= 200) return found.answer
          continue
        }
        if (!open)
          throw new Error(`no answer: ${received.subarray(0, 200).toString('latin1') || 'nothing came'}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      clearTimeout(timer)
    }
  }
  return { ask, isOpen: () => open, close: drop }
}

interface Reading {
  readonly isHead: boolean
  readonly isOver: boolean
}

/** The first response in the bytes and its length; undefined while it is incomplete. */
const frame = (
  bytes: Buffer,
  { isHead, isOver }: Reading,
): { answer: FramedResponse; length: number } | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d)(?: |$)/.exec(line)?.[1])
  if (Number.isNaN(status)) throw new Error(`not a status line: ${line.slice(0, 200)}`)
  const headers = Object.fromEntries(lines.map(header))
  const start = end + 4
  const done = (body: Buffer, length: number) => ({ answer: { status, headers, body }, length })
  if (isHead || status < 200 || status === 204 || status === 304) return done(Buffer.alloc(0), start)
  if (headers['transfer-encoding'] === 'chunked') return chunks(bytes, start, done)
  if (headers['content-length'] === undefined)
    return isOver ? done(bytes.subarray(start), bytes.length) : undefined
  const length = start + Number(headers['content-length'])
  return bytes.length < length ? undefined : done(bytes.subarray(start, length), length)
}

const header = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  if (colon < 1 || /[^\x20-\x7e\x80-\xff\t]/.test(line))
    throw new Error(`not a header line: ${line.slice(0, 200)}`)
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

const chunks = <T>(
  bytes: Buffer,
  start: number,
  done: (body: Buffer, length: number) => T,
): T | undefined => {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const text = bytes.subarray(at, lineEnd).toString('latin1')
    if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`not a chunk size: ${text.slice(0, 50)}`)
    const size = Number.parseInt(text, 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return done(Buffer.concat(parts), next)
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
