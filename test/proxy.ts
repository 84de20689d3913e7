import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fault of a bad network. */
export type Weather =
  | { readonly is: 'fair' }
  /** Cuts off this share of the answers: the request arrives, but its answer is lost, or half of it. */
  | { readonly is: 'cutting'; readonly share: number }
  /** Silently drops everything. Connections used meanwhile are reset at the end, because a stream cannot continue after a gap. */
  | { readonly is: 'blackhole' }
  /** Everything is delayed. */
  | { readonly is: 'slow'; readonly delayMs: number }
  /** Every connection is reset. */
  | { readonly is: 'reset' }

export type Proxy = Awaited<ReturnType<typeof openProxy>>

export interface ProxyParts {
  readonly port: number
  readonly host?: string
  readonly random?: () => number
}

/** A TCP proxy on a port of its own. */
export const openProxy = async ({ port, host = '127.0.0.1', random = Math.random }: ProxyParts) => {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  const target = { port, host }
  const state = { weather: { is: 'fair' } as Weather, cuts: 0 }
  const server = createServer((client) => {
    const upstream = connect(target)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('close', () => {
        sockets.delete(from)
        lost.delete(from)
        if (state.weather.is !== 'blackhole') to.destroy()
      })
      from.on('error', () => {})
      from.on('data', (chunk: Buffer) => void carry(chunk, { from, to, isAnswer: from === upstream }))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    port: (server.address() as AddressInfo).port,
    target,
    get cuts() {
      return state.cuts
    },
    turn(weather: Weather) {
      state.weather = weather
      if (weather.is !== 'blackhole') for (const socket of lost) socket.resetAndDestroy()
      if (weather.is === 'reset') for (const socket of sockets) socket.resetAndDestroy()
    },
    /** Silently drops the traffic of all present connections, as if a machine had gone. Later ones work. */
    silence() {
      for (const socket of sockets) lost.add(socket)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  async function carry(chunk: Buffer, { from, to, isAnswer }: CarriedBytes) {
    const { weather } = state
    if (weather.is === 'blackhole') lost.add(from).add(to)
    if (lost.has(from)) return
    if (weather.is === 'reset') return void from.resetAndDestroy()
    if (weather.is === 'cutting' && isAnswer && random() < weather.share) {
      state.cuts++
      if (random() < 0.5) to.write(chunk.subarray(0, chunk.length / 2))
      return void to.destroySoon()
    }
    if (weather.is === 'slow') {
      from.pause()
      await new Promise((resolve) => setTimeout(resolve, weather.delayMs))
      from.resume()
    }
    if (to.writable && !to.write(chunk)) {
      from.pause()
      to.once('drain', () => from.resume())
    }
  }
}

interface CarriedBytes {
  readonly from: Socket
  readonly to: Socket
  readonly isAnswer: boolean
}
