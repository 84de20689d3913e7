import type { Socket } from 'node:net'
import type { Address } from './address.ts'
import { authentication } from './authentication.ts'
import { columnsAt, noColumns } from './columns.ts'
import { ConnectionLost, ServerError } from './errors.ts'
import { fieldsAt, incoming, textAt } from './incoming.ts'
import { answerQueue } from './queue.ts'
import type { Request, Result, Settle } from './request.ts'
import { sendingTo } from './sending.ts'
import { openSocket } from './socket.ts'

interface ConnectOptions {
  readonly parameters: Readonly<Record<string, string>>
  readonly connectMs: number
  /** A notification arrived on a topic. */
  notified?: ((topic: string, payload: string) => void) | undefined
  closed(cause: unknown): void
}

/**
 * One connection. Statements requested in one turn of the event loop are one batch, sent in one piece. The server answers
 * it in one piece too, and skips everything in it that follows a statement it refused.
 */
export const connect = async (address: Address, options: ConnectOptions) => {
  const signal = AbortSignal.timeout(options.connectMs)
  const unanswered = () => {
    const message = `the server did not answer within ${options.connectMs / 1000} s`
    return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
  }
  const socket = await openSocket(address, signal).catch((error) => {
    if (signal.aborted) throw new ConnectionLost(unanswered())
    throw new ConnectionLost(error instanceof AggregateError ? error.errors[0] : error)
  })
  const connection = wire(socket, address, options)
  const giveUp = () => connection.destroy(unanswered())
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await connection.ready
    return connection
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const wire = (socket: Socket, address: Address, options: ConnectOptions) => {
  const opened = Promise.withResolvers<void>()
  const queue = answerQueue({
    resend: (pending) => sending.ask(pending.request, pending, pending.plans),
    timedOut: () => destroy(new Error('no answer in time')),
  })
  const sending = sendingTo(socket, queue)
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
    queue.fail(lost)
    options.closed(lost)
  }

  const receive = (type: number, bytes: Buffer, from: number, to: number) => {
    switch (type) {
      case types.dataRow:
        return queue.first()?.row(bytes, from, to)
      case types.commandComplete:
        return queue.completed(bytes.toString('latin1', from, to - 1))
      case types.emptyQuery:
        return queue.completed('')
      case types.rowDescription:
        return queue.described(columnsAt(bytes, from))
      case types.noData:
        return queue.described(noColumns)
      case types.error:
        return refused(new ServerError(fieldsAt(bytes, from)))
      case types.notice:
        return noticed(fieldsAt(bytes, from))
      case types.notification:
        return notified(bytes, from)
      case types.ready:
        return ready()
      case types.authentication:
        authenticating = authenticate(bytes.subarray(from, to))
        return void authenticating.then(send, destroy)
    }
  }

  const refused = (error: ServerError) => {
    if (isReady) queue.refused(error)
    // After a fatal error the server closes the connection: nobody may be given it until then.
    if (!isReady || error.isFatal) destroy(error)
  }
  const noticed = ({ S, V = S, C, M }: Readonly<Record<string, string>>) => {
    if (V === 'WARNING') queue.warned(`${C} ${M}`)
  }
  const notified = (bytes: Buffer, from: number) => {
    const [topic, next] = textAt(bytes, from + 4)
    options.notified?.(topic, textAt(bytes, next)[0])
  }
  const ready = () => {
    if (isReady) return queue.batchEnded()
    isReady = true
    // This may arrive together with authentication messages that are still being verified.
    if (authenticating) authenticating.then(opened.resolve, destroy)
    else destroy(new Error('the server is not PostgreSQL'))
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
  // Last, because it must override the address: texts are written and read as UTF-8.
  const encoding = { client_encoding: 'UTF8' }
  out.startup({ user, database, ...options.parameters, ...address.parameters, ...encoding })
  send()

  return {
    ready: opened.promise,
    destroy,

    /** Sends a statement behind all earlier ones, without waiting for them. */
    ask: <T>(request: Request<T>): Promise<Result<T>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        sending.ask(request, { resolve: resolve as Settle['resolve'], reject })
      }),

    /** Sends one or more statements verbatim, as a batch of their own. */
    exec: (text: string, limitMs: number): Promise<Result<unknown>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        sending.simple({ text, values: [], limitMs }, { resolve, reject })
      }),

    isGathering: sending.isBatchOpen,

    /** How long the oldest query has been unanswered. */
    silentMs(): number {
      const pending = queue.oldest()
      return pending ? performance.now() - pending.sentAt : 0
    },

    /** Waits a while for outstanding answers. */
    async end(waitMs: number) {
      if (isClosed) return
      const closing = new Error('it was closed')
      const giveUp = setTimeout(() => destroy(closing), waitMs)
      await queue.end()
      clearTimeout(giveUp)
      if (isClosed) return
      out.terminate()
      socket.end(out.take())
      // If the network is gone, the socket never closes by itself.
      setTimeout(() => socket.destroy(), waitMs).unref()
      close(closing)
    },
  }
}

/** Message types: the first byte of a message. */
const types = {
  authentication: 0x52,
  commandComplete: 0x43,
  dataRow: 0x44,
  emptyQuery: 0x49,
  error: 0x45,
  noData: 0x6e,
  notice: 0x4e,
  notification: 0x41,
  ready: 0x5a,
  rowDescription: 0x54,
}
