import type { Row } from '#sql/database.ts'
import { DataUnusable } from '#sql/unusable.ts'
import type { Address } from './wire/address.ts'
import { connect } from './wire/connection.ts'

/**
 * Refuses a pooler that shares server connections between transactions, because our settings and LISTEN would affect other
 * clients. Two connections, in changing order, ask for the process and the number of their transaction. If each has a server process
 * to itself, the process stays the same and runs no other transaction in between.
 */
export const refuseTransactionPooling = async (exec: Exec, address: Address, limitMs: number) => {
  const other = await connect(address, { connectMs: secondConnectionMs, onClosed: () => undefined }).catch(
    () => undefined,
  )
  const execOther = async (text: string, withinMs = limitMs) =>
    ((await other?.exec(text, withinMs).catch(() => undefined))?.rows ?? []) as readonly Row[]
  try {
    // If there is no answer, there is no second server process, or all are busy.
    const [secondAnswer] = await execOther(transactionQuery, secondConnectionMs)
    const connections: readonly Exec[] = secondAnswer ? [exec, execOther] : [exec]
    const observations: (readonly [pid: number, firstNumber: number])[] = []
    for (let round = 0; round < rounds; round++) {
      for (const ask of round % 2 === 0 ? connections : connections.toReversed()) {
        const [row] = await ask(transactionQuery)
        observations.push([Number(row?.pid), Number(row?.number) - round])
      }
    }
    const processes = new Set(observations.map(([pid]) => pid))
    const sequences = new Set(observations.map(String))
    if (processes.size !== connections.length || sequences.size !== connections.length)
      throw new DataUnusable('unreadable', poolerFault)
  } finally {
    other?.destroy(new Error('the check has ended'))
  }
}

type Exec = (text: string) => Promise<readonly Row[]>

/** Each server process numbers its transactions. */
const transactionQuery = `SELECT pid, split_part(virtualtransaction, '/', 2) AS number FROM pg_locks
  WHERE locktype = 'virtualxid' AND pid = pg_backend_pid()`

/** On a busy server, a pooler may by chance choose the same process several times, but not this often. */
const rounds = 4

const secondConnectionMs = 500

const poolerFault =
  'Between Rollcall and PostgreSQL is a pooler that shares connections by transaction or statement: set pool_mode = session for this database, or bypass the pooler.'
