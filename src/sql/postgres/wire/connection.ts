import type { Socket } from 'node:net'
import type { Address } from './address.ts'
import type { Result, Settle, Wanted } from './asked.ts'
import { authentication } from './authentication.ts'
import { columnsAt } from './columns.ts'
import { ConnectionLost, ServerError } from './errors.ts'
import { fieldsAt, incoming, textAt } from './incoming.ts'
import { lineOf } from './line.ts'
import { sendingTo } from './sending.ts'
import { openSocket } from './socket.ts'

interface Hearing {
  /** Something was said on a topic. */
  notified?: ((topic: string, payload: string) => void) | undefined
  /** The server warned of something. */
  warned?: ((warning: string) => void) | undefined
  closed(cause: unknown): void
}

interface ConnectOptions extends Hearing {
  readonly parameters: Readonly<Record<string, string>>
  readonly connectMs: number
}

export type Connection = Awaited<ReturnType<typeof connect>>

/**
 * One connection. What is asked in one turn of the event loop goes out in one piece and is one batch: the server answers
 * it in one piece too, and does nothing of it that stands behind something it refused.
 */
export const connect = async (address: Address, options: ConnectOptions) => {
  const signal = AbortSignal.timeout(options.connectMs)
  const socket = await openSocket(address, signal).catch((error) => {
    throw new ConnectionLost(error instanceof AggregateError ? error.errors[0] : error)
  })
  const connection = wire(socket, address, options)
  const giveUp = () => connection.destroy(signal.reason)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await connection.ready
    return connection
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const wire = (socket: Socket, address: Address, hearing: ConnectOptions) => {
  const opened = Promise.withResolvers<void>()
  const line = lineOf({
    again: (asked) => sending.ask(asked.wanted, asked, asked.plans),
    tooLate: () => destroy(new Error('no answer in time')),
  })
  const sending = sendingTo(socket, line)
  const { out, send } = sending
  const authenticate = authentication(address, out)
  let authenticating: Promise<void> | undefined
  let isReady = false
  let isClosed = false

  const destroy = (cause: unknown) => {
    if (isClosed) return
    socket.destroy()
    close(cause)
  }

  const close = (cause: unknown) => {
    isClosed = true
    const lost = cause instanceof ServerError ? cause : new ConnectionLost(cause)
    opened.reject(lost)
    line.fail(lost)
    hearing.closed(lost)
  }

  const receive = (type: number, bytes: Buffer, from: number, to: number) => {
    switch (type) {
      case types.dataRow:
        return line.first()?.row(bytes, from, to)
      case types.commandComplete:
        return line.completed(bytes.toString('latin1', from, to - 1))
      case types.emptyQuery:
        return line.completed('')
      case types.parseComplete:
        return line.parsed()
      case types.rowDescription:
        return line.described(columnsAt(bytes, from))
      case types.error:
        return refused(new ServerError(fieldsAt(bytes, from)))
      case types.notice:
        return noticed(fieldsAt(bytes, from))
      case types.notification:
        return notified(bytes, from)
      case types.ready:
        return ready()
      case types.authentication:
        // The bytes belong to the socket again when this returns.
        authenticating = authenticate(Buffer.from(bytes.subarray(from, to)))
        return void authenticating.then(send, destroy)
    }
  }

  const refused = (error: ServerError) => (isReady ? line.refused(error) : destroy(error))
  const noticed = ({ S, V = S, C, M }: Readonly<Record<string, string>>) => {
    if (V === 'WARNING') hearing.warned?.(`${C} ${M}`)
  }
  const notified = (bytes: Buffer, from: number) => {
    const [topic, next] = textAt(bytes, from + 4)
    hearing.notified?.(topic, textAt(bytes, next)[0])
  }
  const ready = () => {
    if (isReady) return line.batchEnded()
    isReady = true
    // It may come together with what it depends on.
    if (authenticating) authenticating.then(opened.resolve, destroy)
    else destroy(new Error('the server is no PostgreSQL'))
  }

  const take = incoming(receive)
  socket.on('data', (chunk: Buffer) => {
    try {
      take(chunk)
    } catch (error) {
      destroy(error)
    }
  })
  socket.on('error', destroy)
  socket.on('close', () => destroy(undefined))
  socket.resume()
  const { user, database } = address
  // Last: texts are written and read in it, whatever the address says.
  const encoding = { client_encoding: 'UTF8' }
  out.startup({ user, database, ...hearing.parameters, ...address.parameters, ...encoding })
  send()

  return {
    ready: opened.promise,
    destroy,

    /** Asks behind all that was asked before, without waiting for it. */
    ask: <T>(wanted: Wanted<T>): Promise<Result<T>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        sending.ask(wanted, { resolve: resolve as Settle['resolve'], reject })
      }),

    /** One or more statements as they stand, a batch of their own. */
    say: (text: string, limitMs: number): Promise<Result<unknown>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        sending.say({ text, values: [], limitMs }, { resolve, reject })
      }),

    isGathering: sending.isBatchOpen,

    /** For how long the oldest question has had no answer. */
    silentMs(): number {
      const asked = line.oldest()
      return asked ? performance.now() - asked.askedAt : 0
    },

    /** Waits a while for what was asked. */
    async end(waitMs: number) {
      if (isClosed) return
      const closing = new Error('it was closed')
      const giveUp = setTimeout(() => destroy(closing), waitMs)
      await line.end()
      clearTimeout(giveUp)
      if (isClosed) return
      out.terminate()
      socket.end(out.take())
      // Should the network be gone, nothing is sent any more.
      setTimeout(() => socket.destroy(), waitMs).unref()
      close(closing)
    },
  }
}

/** Of messages, by their first byte. */
const types = {
  authentication: 0x52,
  commandComplete: 0x43,
  dataRow: 0x44,
  emptyQuery: 0x49,
  error: 0x45,
  notice: 0x4e,
  notification: 0x41,
  parseComplete: 0x31,
  ready: 0x5a,
  rowDescription: 0x54,
}
