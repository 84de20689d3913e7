import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { conform } from '../conform.ts'

/** An answer as received. No redirect is followed, and nothing is decoded or parsed. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

export interface WireRequest {
  readonly method?: string
  /** Sent verbatim. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

export const wire = async (url: string, options: WireRequest): Promise<WireAnswer> => {
  const answer = await exchange(url, options)
  const { method = 'GET', path } = options
  if (path.startsWith('/api/v1/'))
    conform({ ...answer, method, path: path.slice('/api/v1'.length), text: plainText(answer) })
  return answer
}

const plainText = ({ headers, bytes }: WireAnswer): string => {
  if (bytes.length === 0) return ''
  const coding = headers['content-encoding']
  if (coding === 'br') return brotliDecompressSync(bytes).toString()
  return (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

const exchange = (url: string, options: WireRequest): Promise<WireAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const { method = 'GET', path, headers = {}, body } = options
    const outgoing = request({ hostname, port, method, path, headers, agent: false, timeout: 60_000 })
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: joined(answer.headers),
          bytes: Buffer.concat(chunks),
        }),
      )
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)))
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/** Parses the first answer that a raw exchange returned. */
export const firstAnswer = (
  text: string,
): { status: number; headers: Record<string, string>; text: string } => {
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const one of lines) {
    const colon = one.indexOf(':')
    headers[one.slice(0, colon).toLowerCase()] = one.slice(colon + 1).trim()
  }
  const rest = end === -1 ? '' : text.slice(end + 4)
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0),
    headers,
    text: headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest,
  }
}

const unchunked = (text: string): string => {
  const size = /^([0-9a-f]+)\r\n/i.exec(text)
  if (size?.[1] === undefined || Number.parseInt(size[1], 16) === 0) return ''
  const start = size[0].length
  const end = start + Number.parseInt(size[1], 16)
  return text.slice(start, end) + unchunked(text.slice(end + 2))
}

const joined = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  )
