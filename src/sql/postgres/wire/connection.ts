import type { Socket } from 'node:net'
import type { Address } from './address.ts'
import { type Answer, Asked, type Settle, type Statement, type Wanted } from './asked.ts'
import { authentication } from './authentication.ts'
import { columnsAt, noColumns } from './columns.ts'
import { ConnectionLost, isStale, ServerError, skipped } from './errors.ts'
import { fieldsAt, incoming, textAt } from './incoming.ts'
import { outgoing } from './outgoing.ts'
import { openSocket } from './socket.ts'

export interface Hearing {
  /** Something was said on a topic. */
  notified?: ((topic: string, payload: string) => void) | undefined
  /** The server warned of something. */
  warned?: ((warning: string) => void) | undefined
  closed(cause: unknown): void
}

export interface ConnectOptions extends Hearing {
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

/** Stands in the line of those who wait for an answer, at the end of each batch. */
const endOfBatch = Symbol('end of batch')

const mostRepeats = 4

const wire = (socket: Socket, address: Address, hearing: ConnectOptions) => {
  const out = outgoing()
  const opened = Promise.withResolvers<void>()
  const authenticate = authentication(address, out)
  const statements = new Map<string, Statement>()
  const line: (Asked | typeof endOfBatch)[] = []
  let batch = 0
  let isBatchOpen = false
  let isFlushing = false
  let isRefused = false
  let isReady = false
  let isClosed = false
  let named = 0
  let authenticating: Promise<void> | undefined
  let nextLook: NodeJS.Timeout | undefined
  let nextLookAt = Number.POSITIVE_INFINITY
  let lineEnded: (() => void) | undefined

  const send = () => {
    if (!isClosed && out.length() > 0) socket.write(out.take())
  }
  const endBatch = () => {
    if (!isBatchOpen) return
    isBatchOpen = false
    batch++
    out.sync()
    line.push(endOfBatch)
  }
  const flush = () => {
    isFlushing = false
    endBatch()
    send()
  }
  const flushSoon = () => {
    if (isFlushing) return
    isFlushing = true
    setImmediate(flush)
  }

  /** Known to the server already, or parsed within the same batch: then both are done, or neither. */
  const statementOf = ({ text, values }: Wanted<unknown>): Statement => {
    const known = statements.get(text)
    if (known && (known.isParsed || known.batch === batch)) return known
    if (statements.size >= mostStatements) statements.clear()
    const statement = { name: `s${++named}`, batch, isParsed: false, columns: noColumns }
    statements.set(text, statement)
    out.parse(statement.name, text, values)
    out.describe(statement.name)
    return statement
  }

  /** Nothing of it, when a value cannot be written down. */
  const written = (wanted: Wanted<unknown>): Statement => {
    const before = out.length()
    try {
      const statement = statementOf(wanted)
      out.bind(statement.name, wanted.values)
      out.execute()
      return statement
    } catch (error) {
      out.cut(before)
      statements.delete(wanted.text)
      throw error
    }
  }

  const enqueue = (wanted: Wanted<unknown>, settle: Settle, repeats = 0) => {
    const statement = written(wanted)
    isBatchOpen = true
    const asked = new Asked(wanted, statement, settle)
    asked.repeats = repeats
    line.push(asked)
    flushSoon()
    watch(asked.dueAt)
  }

  /** One timer looks after all that is asked. */
  const watch = (dueAt: number) => {
    if (dueAt >= nextLookAt) return
    clearTimeout(nextLook)
    nextLookAt = dueAt
    nextLook = setTimeout(look, Math.min(Math.max(dueAt - performance.now(), 1), longestWatchMs)).unref()
  }
  const look = () => {
    nextLookAt = Number.POSITIVE_INFINITY
    let dueAt = Number.POSITIVE_INFINITY
    for (const each of line) if (each !== endOfBatch) dueAt = Math.min(dueAt, each.dueAt)
    if (performance.now() >= dueAt) destroy(new Error('no answer in time'))
    else watch(dueAt)
  }
  const oldest = () => {
    for (const each of line) if (each !== endOfBatch) return each
    return undefined
  }

  const destroy = (cause: unknown) => {
    if (isClosed) return
    socket.destroy()
    close(cause)
  }

  const close = (cause: unknown) => {
    isClosed = true
    clearTimeout(nextLook)
    const lost = cause instanceof ServerError ? cause : new ConnectionLost(cause)
    opened.reject(lost)
    lineEnded?.()
    for (const asked of line.splice(0)) if (asked !== endOfBatch) asked.reject(lost)
    hearing.closed(lost)
  }

  const first = () => {
    const [asked] = line
    return asked === endOfBatch ? undefined : asked
  }

  const completed = (tag: string) => {
    const asked = first()
    asked?.done(tag)
    if (!asked?.statement) return
    line.shift()
    asked.succeed()
  }

  const refused = (error: ServerError) => {
    if (!isReady) return destroy(error)
    const asked = first()
    // Nobody asked: the server ends the connection, and says why.
    if (!asked) return
    isRefused = true
    if (!asked.statement) return asked.reject(error)
    line.shift()
    if (isStale(error)) statements.delete(asked.wanted.text)
    if (isStale(error) && asked.wanted.isRepeatable) again(asked)
    else asked.reject(error)
  }

  const again = (asked: Asked) => {
    if (asked.repeats < mostRepeats) enqueue(asked.wanted, asked, asked.repeats + 1)
    else asked.reject(skipped())
  }

  /** What stands before the end of a batch when the server is ready again was not done. */
  const batchEnded = () => {
    const asked = first()
    if (asked && !asked.statement) {
      line.shift()
      if (!isRefused) asked.succeed()
    } else {
      for (let next = line.shift(); next && next !== endOfBatch; next = line.shift()) {
        if (next.wanted.isRepeatable) again(next)
        else next.reject(skipped())
      }
    }
    isRefused = false
    if (line.length === 0) lineEnded?.()
  }

  const receive = (type: number, bytes: Buffer, from: number, to: number) => {
    switch (type) {
      case types.dataRow:
        return first()?.row(bytes, from, to)
      case types.commandComplete:
        return completed(bytes.toString('latin1', from, to - 1))
      case types.emptyQuery:
        return completed('')
      case types.parseComplete:
        return parsed()
      case types.rowDescription:
        return described(bytes, from)
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

  const parsed = () => {
    const statement = first()?.statement
    if (statement) statement.isParsed = true
  }
  const described = (bytes: Buffer, from: number) => {
    const asked = first()
    const columns = columnsAt(bytes, from)
    if (asked?.statement) asked.statement.columns = columns
    else asked?.described(columns)
  }
  const noticed = ({ S, V = S, C, M }: Readonly<Record<string, string>>) => {
    if (V === 'WARNING') hearing.warned?.(`${C} ${M}`)
  }
  const notified = (bytes: Buffer, from: number) => {
    const [topic, next] = textAt(bytes, from + 4)
    hearing.notified?.(topic, textAt(bytes, next)[0])
  }
  const ready = () => {
    if (isReady) return batchEnded()
    isReady = true
    // It may come together with what it depends on.
    if (authenticating) authenticating.then(opened.resolve, destroy)
    else destroy(new Error('the server is no PostgreSQL'))
  }

  socket.on('data', incoming(receive))
  socket.on('error', destroy)
  socket.on('close', () => destroy(undefined))
  socket.resume()
  const { user, database } = address
  out.startup({ user, database, client_encoding: 'UTF8', ...hearing.parameters, ...address.parameters })
  send()

  return {
    ready: opened.promise,
    destroy,

    /** Asks behind all that was asked before, without waiting for it. */
    ask: <T>(wanted: Wanted<T>): Promise<Answer<T>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        enqueue(wanted, { resolve: resolve as Settle['resolve'], reject })
      }),

    /** One or more statements as they stand, a batch of their own. */
    say: (text: string, limitMs: number): Promise<Answer<unknown>> =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new ConnectionLost())
        endBatch()
        out.simple(text)
        const wanted = { text, values: [], limitMs }
        const asked = new Asked(wanted, undefined, { resolve, reject })
        line.push(asked)
        flushSoon()
        watch(asked.dueAt)
      }),

    isGathering: () => isBatchOpen,

    /** For how long the oldest question has had no answer. */
    silentMs(): number {
      const asked = oldest()
      return asked ? performance.now() - asked.askedAt : 0
    },

    /** Waits a while for what was asked. */
    async end(waitMs: number) {
      if (isClosed) return
      const closing = new Error('it was closed')
      const giveUp = setTimeout(() => destroy(closing), waitMs)
      if (line.length > 0) await new Promise<void>((resolve) => (lineEnded = resolve))
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

const mostStatements = 1_000

/** A timer cannot wait for longer. */
const longestWatchMs = 2_000_000_000

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
