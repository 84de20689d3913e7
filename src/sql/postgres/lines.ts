import { storageUnavailable } from '#core/problem.ts'
import type { Query } from '#sql/query.ts'
import { slots } from '#sql/slots.ts'
import { limits } from './limits.ts'
import type { Rows, Session } from './session.ts'

/**
 * Connections for short reads, which all share (decision 0032): a statement goes out behind those before it, together with those of the
 * same turn, and nobody waits until a connection is free. To write and read one statement at a time took as long again.
 */
export const lines = (open: () => Promise<Session>) => {
  const { reads: taken, waiting, waitMs } = limits
  const refusal = () => storageUnavailable(new Error('too many reads are under way'))
  const places = slots({ taken, waiting, waitMs, refusal })
  const opened: (Promise<Session> | undefined)[] = []
  let turn = 0
  let closed = false

  const connect = async (index: number) => {
    const forget = () => {
      opened[index] = undefined
    }
    try {
      const session = await open()
      session.lost.catch(forget)
      return session
    } catch (error) {
      forget()
      throw error
    }
  }

  const next = () => {
    if (closed) throw storageUnavailable(new Error('the database is closed'))
    turn = (turn + 1) % limits.lines
    const line = opened[turn] ?? connect(turn)
    opened[turn] = line
    return line
  }

  return {
    places,

    async ask(query: Query): Promise<Rows> {
      await places.take()
      try {
        return await (await next()).query(query)
      } finally {
        places.give()
      }
    },

    async close() {
      closed = true
      await Promise.all(opened.map((line) => line?.then((session) => session.end()).catch(() => undefined)))
    },
  }
}
