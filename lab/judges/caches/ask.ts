import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** With its content coding undone. */
  readonly text: string
}

export type Fields = Readonly<Record<string, string>>

/** Sends a request such as `PUT /todos/1` as it is: nothing is added, stored or followed. */
export const asking =
  (port: number) =>
  async (line: string, headers: Fields = {}, body?: unknown): Promise<Answer> => {
    const [method = '', path = ''] = line.split(' ')
    const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
    const length = method === 'GET' || method === 'HEAD' ? {} : { 'Content-Length': bytes.length }
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    return new Promise((resolve, reject) => {
      const options = { method, path: `/api/v1${path}`, agent: false }
      const sent = request(
        { hostname: '127.0.0.1', port, ...options, headers: { ...type, ...length, ...headers } },
        async (answer) => {
          const chunks: Buffer[] = await answer.toArray()
          const coding = String(answer.headers['content-encoding'] ?? '')
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: plain(Buffer.concat(chunks), coding),
          })
        },
      )
      sent.on('error', reject)
      sent.end(bytes)
    })
  }

export type Ask = ReturnType<typeof asking>

const plain = (bytes: Buffer, coding: string) => {
  if (bytes.length === 0) return ''
  if (coding === 'br') return brotliDecompressSync(bytes).toString()
  return (coding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}
