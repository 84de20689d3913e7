import { overloaded, storageUnavailable } from '#core/problem.ts'
import type { AlterTransaction, Observer } from '#sql/engine.ts'
import type { Publication } from '#sql/listeners.ts'
import type { Query } from '#sql/query.ts'
import type { NestingTransaction } from '#sql/unit.ts'
import type { Connection } from './connection.ts'
import { noted, refusal } from './errors.ts'
import type { Limits } from './limits.ts'
import { patiently } from './patience.ts'
import type { Touched } from './remembered.ts'

export type LaneTransaction = NestingTransaction & AlterTransaction

export interface Committed extends Touched {
  /** How many of them changed something. */
  readonly statements: number
  /** Tables may have changed. */
  readonly altered: boolean
  readonly publications: readonly Publication[]
}

export interface LaneOptions {
  readonly writer: Connection
  /** Comes just before each commit: whoever holds a snapshot lets go of it. */
  readonly beforeCommit: () => void
  /** Comes after each commit that changed something, before anybody is answered. */
  readonly committed: (changes: Committed) => void
  readonly observer: Observer
  readonly limits: Limits
}

export type Lane = ReturnType<typeof lane>

/** The one way to write. What was asked for in one turn of the event loop becomes durable by one commit. */
export const lane = (options: LaneOptions) => {
  const { queuedWrites, groupedWrites } = options.limits
  let queue: Waiting[] = []
  let running: Promise<void> | undefined
  let held: (() => Promise<void>) | undefined
  let closed = false

  const drain = async () => {
    while (queue.length > 0 || held) {
      await nextTurn()
      const work = held
      held = undefined
      await work?.()
      const group = queue.slice(0, groupedWrites)
      queue = queue.slice(groupedWrites)
      await commitTogether(group, options)
    }
    running = undefined
  }

  return {
    write: <T>(work: (tx: LaneTransaction) => Promise<T>): Promise<T> => {
      if (closed) return Promise.reject(storageUnavailable(new Error('the database is closed')))
      if (queue.length >= queuedWrites) return Promise.reject(overloaded())
      return new Promise<T>((resolve, reject) => {
        queue.push(new Waiting(work, resolve as (value: unknown) => void, reject))
        running ??= drain()
      })
    },

    /** Works while no transaction is open. Writes wait for it. */
    between: (work: () => Promise<void>): Promise<void> =>
      new Promise((resolve, reject) => {
        held = () => work().then(resolve, reject)
        running ??= drain()
      }),

    /** Ends after the last write that was asked for. */
    async close() {
      closed = true
      await running
    },
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A write on its way, and what it did. */
class Waiting {
  readonly work: (tx: LaneTransaction) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  value: unknown
  readonly keys = new Set<string>()
  readonly publications: Publication[] = []
  changedUnnamed = false
  statements = 0
  altered = false
  /** Why it cannot be committed any more. */
  failure: unknown

  constructor(work: Waiting['work'], resolve: Waiting['resolve'], reject: Waiting['reject']) {
    this.work = work
    this.resolve = resolve
    this.reject = reject
  }

  failing<T>(ask: () => T): T {
    try {
      return ask()
    } catch (error) {
      this.failure ??= refusal(error)
      throw refusal(error)
    }
  }

  touched(query: Query) {
    this.statements++
    if (query.keys.length === 0) this.changedUnnamed = true
    for (const key of query.keys) this.keys.add(key)
  }
}

const commitTogether = async (group: readonly Waiting[], options: LaneOptions) => {
  const { writer, beforeCommit, observer, limits } = options
  const startedAt = performance.now()
  try {
    await patiently(limits.busyMs, () => writer.say('BEGIN IMMEDIATE'))
    const done = await workAll(group, options)
    if (done.length === 0) return abandon(writer)
    beforeCommit()
    writer.say('COMMIT')
    tell(done, options)
    for (const waiting of done) waiting.resolve(waiting.value)
    observer.groupCommitted?.(done.length, performance.now() - startedAt)
  } catch (error) {
    abandon(writer)
    const refused = noted(observer, error)
    for (const waiting of group) waiting.reject(refused)
  }
}

/** Answers with those that succeeded; each of the others is undone alone and told. */
const workAll = async (group: readonly Waiting[], { writer, limits, observer }: LaneOptions) => {
  const done: Waiting[] = []
  for (const waiting of group) {
    const work = () => workIn(writer, waiting, limits.idleMs)
    try {
      waiting.value = await (group.length === 1 ? work() : part(writer, work))
      done.push(waiting)
    } catch (error) {
      waiting.reject(noted(observer, error))
      // A full disk and its like may undo everything: then nobody in the group is done.
      if (!writer.inTransaction()) throw storageUnavailable(error)
    }
  }
  return done
}

/** A part of a transaction that can be undone alone. */
const part = async <T>(writer: Connection, work: () => Promise<T>): Promise<T> => {
  writer.say('SAVEPOINT part')
  try {
    const value = await work()
    writer.say('RELEASE part')
    return value
  } catch (error) {
    if (writer.inTransaction()) {
      writer.say('ROLLBACK TO part')
      writer.say('RELEASE part')
    }
    throw error
  }
}

const workIn = async (writer: Connection, waiting: Waiting, idleMs: number) => {
  const idle = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => idle.reject(storageUnavailable(new Error('a transaction was left idle'))),
    idleMs,
  )
  let open = true
  const use = () => {
    if (!open || !writer.inTransaction()) throw storageUnavailable(new Error('the transaction has ended'))
    timer.refresh()
  }
  try {
    const value = await Promise.race([waiting.work(transaction(writer, waiting, use)), idle.promise])
    // The work may not have looked.
    if (waiting.failure) throw waiting.failure
    use()
    return value
  } finally {
    open = false
    clearTimeout(timer)
  }
}

const transaction = (writer: Connection, waiting: Waiting, use: () => void): LaneTransaction => {
  const tx: LaneTransaction = {
    async read(query, make) {
      use()
      const rows = waiting.failing(() => writer.rows(query))
      if (rows.length > 0 && !isSelect.test(query.text)) waiting.touched(query)
      return rows.map(make)
    },

    async run(query) {
      use()
      const changes = waiting.failing(() => writer.run(query))
      if (changes > 0) waiting.touched(query)
      return changes
    },

    async exec(text) {
      use()
      waiting.altered = true
      waiting.failing(() => writer.exec(text))
    },

    async publish(topic, payload) {
      use()
      waiting.publications.push({ topic, payload })
    },

    async nested(work) {
      use()
      const { failure, publications } = waiting
      const said = publications.length
      try {
        return await part(writer, async () => {
          const value = await work(tx)
          if (waiting.failure !== failure) throw waiting.failure
          return value
        })
      } catch (error) {
        waiting.failure = failure
        publications.length = said
        throw error
      }
    },
  }
  return tx
}

const isSelect = /^\s*select\b/i

const abandon = (writer: Connection) => {
  try {
    if (writer.inTransaction()) writer.say('ROLLBACK')
  } catch {
    // The next BEGIN fails then, and comes here again.
  }
}

const tell = (done: readonly Waiting[], { committed }: LaneOptions) => {
  const keys = new Set<string>()
  for (const waiting of done) for (const key of waiting.keys) keys.add(key)
  const altered = done.some((waiting) => waiting.altered)
  const all = altered || done.some((waiting) => waiting.changedUnnamed)
  const publications = done.flatMap((waiting) => waiting.publications)
  const statements = done.reduce((sum, waiting) => sum + waiting.statements, 0)
  if (altered || statements > 0 || publications.length > 0)
    committed({ keys, all, altered, statements, publications })
}
