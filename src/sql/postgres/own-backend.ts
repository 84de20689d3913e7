import type { Row } from '#sql/database.ts'
import { DataUnusable } from '#sql/unusable.ts'
import type { Address } from './wire/address.ts'
import { connect } from './wire/connection.ts'

/**
 * Refuses a pooler that shares connections between transactions, because our settings and LISTEN would then affect other
 * clients. Two connections ask in changing order. If each has its own server process, that process stays the same and runs no
 * other transaction in between.
 */
export const requireOwnBackend = async (exec: Exec, address: Address, limitMs: number) => {
  const other = await connect(address, { connectMs: otherMs, closed: () => undefined }).catch(() => undefined)
  const execOther = async (text: string, withinMs = limitMs) =>
    ((await other?.exec(text, withinMs).catch(() => undefined))?.rows ?? []) as readonly Row[]
  try {
    // Without an answer there is no second server process, or all are busy.
    const [found] = await execOther(transaction, otherMs)
    const asking: readonly Exec[] = found ? [exec, execOther] : [exec]
    const seen: (readonly [pid: number, first: number])[] = []
    for (let round = 0; round < rounds; round++) {
      for (const ask of round % 2 === 0 ? asking : asking.toReversed()) {
        const [row] = await ask(transaction)
        seen.push([Number(row?.pid), Number(row?.number) - round])
      }
    }
    const processes = new Set(seen.map(([pid]) => pid))
    const uninterrupted = new Set(seen.map(String))
    if (processes.size !== asking.length || uninterrupted.size !== asking.length)
      throw new DataUnusable('unreadable', notOwn)
  } finally {
    other?.destroy(new Error('the check has ended'))
  }
}

type Exec = (text: string) => Promise<readonly Row[]>

/** Each server process numbers its transactions. */
const transaction = `SELECT pid, split_part(virtualtransaction, '/', 2) AS number FROM pg_locks
  WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()`

/** On a busy server, a pooler may happen to choose the same process again, but not this often. */
const rounds = 4

const otherMs = 500

const notOwn =
  'Between Rollcall and PostgreSQL is a pooler that shares connections by transaction or statement: set pool_mode = session for this database, or bypass the pooler.'
