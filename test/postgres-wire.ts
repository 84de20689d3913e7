import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export const message = (type: string, ...parts: readonly (string | number[])[]) => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  )
  const size = Buffer.alloc(4)
  size.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), size, body])
}
export const authentication = (kind: number, rest = '') => message('R', [0, 0, 0, kind], rest)
export const welcome = Buffer.concat([authentication(0), message('Z', 'I')])
export const column = (name: string, type: number) => [
  ...Buffer.from(`${name}\0`),
  ...[0, 0, 0, 0, 0, 0, 0, 0, 0, type, 0, 0, 0, 0, 0, 0, 0, 0],
]
export const value = (text: string) => [0, 0, 0, Buffer.byteLength(text), ...Buffer.from(text)]

/** A server that answers the first message with these bytes, or by disconnecting; `later` handles each further message. */
export const server = async (
  t: TestContext,
  first: Buffer | undefined,
  later: (socket: Socket, received: string) => void = () => {},
) => {
  const listener = createServer((socket) => {
    socket.once('data', () => {
      if (first === undefined) return socket.end()
      socket.write(first)
      socket.on('data', (bytes) => later(socket, `${bytes}`))
    })
    socket.on('error', () => {})
    t.after(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  t.after(() => listener.close())
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  return {
    ...{ host: '127.0.0.1', port, user: 'me', password: 'secret', database: 'data' },
    ...{
      encryption: undefined,
      channelBinding: 'prefer',
      passfileFault: undefined,
      connectMs: undefined,
      startupParameters: {},
      sessionParameters: {},
    },
  }
}

export const options = { connectMs: 30_000, onClosed: () => {} }
export const select = { text: 'SELECT', values: [], limitMs: 30_000 }

/** The message of the first cause. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.cause ? reasonOf(error.cause) : error.message) : ''
