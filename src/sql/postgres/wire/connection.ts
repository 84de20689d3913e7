import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Address } from './address.ts'
import { authentication } from './authentication.ts'
import { columnsAt, noColumns } from './columns.ts'
import { ConnectionLost, ServerError } from './errors.ts'
import { fieldsAt, incoming, textAt } from './incoming.ts'
import { outgoing } from './outgoing.ts'
import { PendingRequest, type Request, type Result, type Settle } from './request.ts'
import { openSocket } from './socket.ts'
import { type Statement, statementsOn } from './statements.ts'

interface ConnectOptions {
  readonly connectMs: number
  notified?: ((topic: string, payload: string) => void) | undefined
  closed(cause: unknown): void
}

export type Connection = ReturnType<typeof wire>

/** Opens a connection. It sends statements without waiting for earlier answers, and each succeeds or fails independently. */
export const connect = async (address: Address, options: ConnectOptions): Promise<Connection> => {
  try {
    return await connectOnce(address, options)
  } catch (error) {
    // The server's rules (pg_hba.conf) may allow the login only without encryption.
    const isByRules = error instanceof ServerError && error.routine === 'ClientAuthentication'
    if (!isByRules || !address.encryption?.isOptional) throw error
    return connectOnce({ ...address, encryption: undefined }, options).catch(() => {
      throw error
    })
  }
}

const connectOnce = async (address: Address, options: ConnectOptions) => {
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
  const out = outgoing()
  const statements = statementsOn(out)
  /** The server answers in this order. */
  const unanswered: PendingRequest[] = []
  const authenticate = authentication(address, out, certificateOf(socket))
  let authenticating: Promise<void> | undefined
  let pid: number | undefined
  let isReady = false
  let isClosed = false
  let isSendingSoon = false
  let allAnswered = () => {}

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
    for (const pending of unanswered.splice(0)) pending.fail(lost)
    allAnswered()
    options.closed(lost)
  }

  const receive = (type: number, bytes: Buffer, from: number, to: number) => {
    const [pending] = unanswered
    switch (type) {
      case types.dataRow:
        return pending?.row(bytes, from, to)
      case types.commandComplete:
        return pending?.done(bytes.toString('latin1', from, to - 1))
      case types.rowDescription:
        return pending?.described(columnsAt(bytes, from))
      case types.noData:
        return pending?.described(noColumns)
      case types.error:
        return refused(new ServerError(fieldsAt(bytes, from)))
      case types.notice:
        return pending?.noticed(fieldsAt(bytes, from))
      case types.notification:
        return notified(bytes, from)
      case types.ready:
        return ready()
      case types.keyData:
        pid = bytes.readInt32BE(from)
        return
      case types.authentication:
        authenticating = authenticate(bytes.subarray(from, to))
        return void authenticating.then(send, destroy)
    }
  }

  const refused = (error: ServerError) => {
    const [pending] = unanswered
    pending?.refused(error)
    if (pending?.statement) statements.refused(pending.statement, error)
    // After a fatal error the server closes the connection, so nobody may use it any more.
    if (!isReady || error.isFatal) destroy(error)
  }
  const notified = (bytes: Buffer, from: number) => {
    const [topic, next] = textAt(bytes, from + 4)
    options.notified?.(topic, textAt(bytes, next)[0])
  }
  const ready = () => {
    if (isReady) {
      unanswered.shift()?.end()
      if (unanswered.length === 0) allAnswered()
      return
    }
    isReady = true
    // This may arrive while an authentication message is still being verified.
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
  const { user, database, startup } = address
  // Texts are written and read as UTF-8.
  const encoding = { client_encoding: 'UTF8' }
  out.startup({ user, database, ...startup, ...encoding })
  send()

  const timedOut = () => destroy(new Error('no answer in time'))
  const asked = <T>(request: Request<T>, write: () => Statement | undefined): Promise<Result<T>> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new ConnectionLost())
      const settle = { resolve: resolve as Settle['resolve'], reject, timedOut }
      unanswered.push(new PendingRequest(request, write(), settle))
      sendSoon()
    })

  return {
    ready: opened.promise,
    destroy,

    /** The process id that the server sent. A pooler sends another number. */
    announcedPid: () => pid,

    /** Sends a statement without waiting for earlier ones. */
    ask: <T>(request: Request<T>): Promise<Result<T>> => asked(request, () => statements.write(request)),

    /** Sends one or more statements verbatim. */
    exec: (text: string, limitMs: number): Promise<Result<unknown>> =>
      asked({ text, values: [], limitMs }, () => void out.simple(text)),

    /** Waits a while for outstanding answers, then closes the connection. */
    async end(waitMs: number) {
      if (isClosed) return
      const closing = new Error('it was closed')
      const giveUp = setTimeout(() => destroy(closing), waitMs)
      if (unanswered.length > 0) await new Promise<void>((resolve) => (allAnswered = resolve))
      clearTimeout(giveUp)
      if (isClosed) return
      out.terminate()
      socket.end(out.take())
      // Without a network, the socket would never close by itself.
      setTimeout(() => socket.destroy(), waitMs).unref()
      close(closing)
    },
  }
}

const certificateOf = (socket: Socket) =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined

/** Message types, by the first byte of a message. */
const types = {
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
