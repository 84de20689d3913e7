import { storageUnavailable } from '#core/problem.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { limits } from './limits.ts'
import type { Rows, Session } from './session.ts'

/**
 * Connections for short reads, which all share (decision 0032): a statement goes out behind those before it, together
 * with those of the same turn, and nobody waits until a connection is free. One at a time took half as long again.
 */
export const lines = (open: () => Promise<Session>) => {
  const { reads: taken, waiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('too many reads are under way'))
  const places = slots({ taken, waiting, waitMs, refusal })
  const opened: (Promise<Session> | undefined)[] = []
  let turn = 0
  let closed = false

  const connect = () => {
    const line = open()
    line.then((session) => session.lost).catch(() => leave(line))
    return line
  }

  const next = () => {
    if (closed) throw storageUnavailable(new Error('the database is closed'))
    turn = (turn + 1) % limits.lines
    const line = opened[turn] ?? connect()
    opened[turn] = line
    return line
  }

  /** One that is lost, or says nothing and may be dead without a word: those who come later take another. */
  const leave = (line: Promise<Session>) => {
    const index = opened.indexOf(line)
    if (index >= 0) opened[index] = undefined
    void line.then((session) => session.end()).catch(() => undefined)
  }

  return {
    places,

    async ask(query: Query): Promise<Rows> {
      await places.take()
      let silent: NodeJS.Timeout | undefined
      try {
        const line = next()
        silent = setTimeout(() => leave(line), limits.silentMs)
        return await (await line).query(query)
      } finally {
        clearTimeout(silent)
        places.give()
      }
    },

    async close() {
      closed = true
      await Promise.all(opened.map((line) => line?.then((session) => session.end()).catch(() => undefined)))
    },
  }
}
