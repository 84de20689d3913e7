import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Address } from './address.ts'
import { authentication } from './authentication.ts'
import { columnsAt, noColumns } from './columns.ts'
import { ConnectionLost, ServerError } from './errors.ts'
import { fieldsAt, messageSplitter, textAt } from './incoming.ts'
import { outgoing } from './outgoing.ts'
import { PendingRequest, type Request, type Result, type Settle } from './request.ts'
import { openSocket } from './socket.ts'
import { type Statement, statementsOn } from './statements.ts'

interface ConnectOptions {
  readonly connectMs: number
  onNotification?: ((topic: string, payload: string) => void) | undefined
  onClosed(cause: unknown): void
}

export type Connection = ReturnType<typeof connectionOn>

/** Opens a connection. Statements are sent without waiting for earlier answers. Each succeeds or fails independently. */
export const connect = async (address: Address, options: ConnectOptions): Promise<Connection> => {
  try {
    return await connectOnce(address, options)
  } catch (error) {
    // The server's rules (pg_hba.conf) may allow the login only without encryption.
    const isRefusedByRules = error instanceof ServerError && error.routine === 'ClientAuthentication'
    if (!isRefusedByRules || !address.encryption?.isOptional) throw error
    return connectOnce({ ...address, encryption: undefined }, options).catch(() => {
      throw error
    })
  }
}

const connectOnce = async (address: Address, options: ConnectOptions) => {
  const signal = AbortSignal.timeout(options.connectMs)
  const connectTimeout = () => {
    const message = `the server did not answer within ${options.connectMs / 1000} s`
    return Object.assign(new Error(message), { code: 'ETIMEDOUT' })
  }
  const socket = await openSocket(address, signal).catch((error) => {
    if (signal.aborted) throw new ConnectionLost(connectTimeout())
    throw new ConnectionLost(error instanceof AggregateError ? error.errors[0] : error)
  })
  const connection = connectionOn(socket, address, options)
  const giveUp = () => connection.destroy(connectTimeout())
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await connection.ready
    return connection
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

const connectionOn = (socket: Socket, address: Address, options: ConnectOptions) => {
  const opened = Promise.withResolvers<void>()
  const out = outgoing()
  const statements = statementsOn(out)
  /** In the order in which they were sent, which is the order of the answers. */
  const pendingRequests: PendingRequest[] = []
  const authenticate = authentication(address, out, certificateOf(socket))
  let authenticating: Promise<void> | undefined
  let pid: number | undefined
  let isReady = false
  let isClosed = false
  let isSendingSoon = false
  let onAllAnswered = () => {}

  const send = () => {
    isSendingSoon = false
    if (out.length() > 0 && !socket.destroyed) socket.write(out.take())
  }
  /** Sends all requests of one tick in one write. */
  const sendSoon = () => {
    if (isSendingSoon) return
    isSendingSoon = true
    process.nextTick(send)
  }

  const destroy = (cause: unknown) => {
    if (isClosed) return
    socket.destroy()
    close(cause)
  }

  const close = (cause: unknown) => {
    isClosed = true
    const lost = cause instanceof ServerError ? cause : new ConnectionLost(cause)
    opened.reject(lost)
    for (const pending of pendingRequests.splice(0)) pending.reject(lost)
    onAllAnswered()
    options.onClosed(lost)
  }

  const receive = (type: number, bytes: Buffer, from: number, to: number) => {
    const [pending] = pendingRequests
    switch (type) {
      case messageTypes.dataRow:
        return pending?.addRow(bytes, from, to)
      case messageTypes.commandComplete:
        return pending?.setTag(bytes.toString('latin1', from, to - 1))
      case messageTypes.rowDescription:
        return pending?.setColumns(columnsAt(bytes, from))
      case messageTypes.noData:
        return pending?.setColumns(noColumns)
      case messageTypes.error:
        return onError(new ServerError(fieldsAt(bytes, from)))
      case messageTypes.notice:
        return pending?.addNotice(fieldsAt(bytes, from))
      case messageTypes.notification:
        return onNotification(bytes, from)
      case messageTypes.ready:
        return onReady()
      case messageTypes.keyData:
        pid = bytes.readInt32BE(from)
        return
      case messageTypes.authentication:
        authenticating = authenticate(bytes.subarray(from, to))
        return void authenticating.then(send, destroy)
    }
  }

  const onError = (error: ServerError) => {
    const [pending] = pendingRequests
    pending?.setError(error)
    if (pending?.statement) statements.forgetUnusable(pending.statement, error)
    // After a fatal error, the server closes the connection, so nobody may use the connection any more.
    if (!isReady || error.isFatal) destroy(error)
  }
  const onNotification = (bytes: Buffer, from: number) => {
    const [topic, next] = textAt(bytes, from + 4)
    options.onNotification?.(topic, textAt(bytes, next)[0])
  }
  const onReady = () => {
    if (isReady) {
      pendingRequests.shift()?.complete()
      if (pendingRequests.length === 0) onAllAnswered()
      return
    }
    isReady = true
    // The server may become ready while its last authentication message is still being verified.
    if (authenticating) authenticating.then(opened.resolve, destroy)
    else destroy(new Error('the server is not PostgreSQL'))
  }

  const receiveChunk = messageSplitter(receive)
  socket.on('data', (chunk: Buffer) => {
    try {
      receiveChunk(chunk)
    } catch (error) {
      destroy(error)
    }
  })
  socket.on('error', destroy)
  socket.on('close', () => destroy(undefined))
  socket.resume()
  const { user, database, startupParameters } = address
  // All texts are written and read as UTF-8.
  const encoding = { client_encoding: 'UTF8' }
  out.startup({ user, database, ...startupParameters, ...encoding })
  send()

  const onTimeout = () => destroy(new Error('no answer in time'))
  const enqueue = <T>(request: Request<T>, write: () => Statement | undefined): Promise<Result<T>> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new ConnectionLost())
      const settle = { resolve: resolve as Settle['resolve'], reject, onTimeout }
      pendingRequests.push(new PendingRequest(request, write(), settle))
      sendSoon()
    })

  return {
    ready: opened.promise,
    destroy,

    /** The process id that was announced when the connection opened. A pooler announces another number than the id of the server process. */
    announcedPid: () => pid,

    /** Sends a statement without waiting for earlier ones. */
    ask: <T>(request: Request<T>): Promise<Result<T>> => enqueue(request, () => statements.write(request)),

    /** Sends one or more statements verbatim. */
    exec: (text: string, limitMs: number): Promise<Result<unknown>> =>
      enqueue({ text, values: [], limitMs }, () => void out.simpleQuery(text)),

    /** Waits up to `waitMs` for outstanding answers, then closes the connection. */
    async end(waitMs: number) {
      if (isClosed) return
      const closing = new Error('it was closed')
      const giveUp = setTimeout(() => destroy(closing), waitMs)
      if (pendingRequests.length > 0) await new Promise<void>((resolve) => (onAllAnswered = resolve))
      clearTimeout(giveUp)
      if (isClosed) return
      out.terminate()
      socket.end(out.take())
      // If the network is gone, the socket would never close by itself.
      setTimeout(() => socket.destroy(), waitMs).unref()
      close(closing)
    },
  }
}

const certificateOf = (socket: Socket) =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined

/** Message types, by the first byte of a message. */
const messageTypes = {
  authentication: 0x52,
  commandComplete: 0x43,
  dataRow: 0x44,
  error: 0x45,
  keyData: 0x4b,
  noData: 0x6e,
  notice: 0x4e,
  notification: 0x41,
  ready: 0x5a,
  rowDescription: 0x54,
}
