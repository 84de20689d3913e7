import type { Socket } from 'node:net'
import { Asked, type Settle, type Statement, type Wanted } from './asked.ts'
import { noColumns } from './columns.ts'
import type { Line } from './line.ts'
import { outgoing } from './outgoing.ts'

const mostStatements = 1_000

/** Writes down what is asked. What is asked in one turn of the event loop is one batch, and goes out in one piece. */
export const sendingTo = (socket: Socket, line: Line) => {
  const out = outgoing()
  const statements = new Map<string, Statement>()
  let named = 0
  let batch = 0
  let isBatchOpen = false
  let isComing = false

  const send = () => {
    if (out.length() > 0 && !socket.destroyed) socket.write(out.take())
  }
  const endBatch = () => {
    if (!isBatchOpen) return
    isBatchOpen = false
    batch++
    out.sync()
    line.endBatch()
  }
  const sendSoon = () => {
    if (isComing) return
    isComing = true
    setImmediate(() => {
      isComing = false
      endBatch()
      send()
    })
  }

  /** Known to the server already, or parsed within the same batch: then both are done, or neither. */
  const statementOf = ({ text, values }: Wanted<unknown>): Statement => {
    const known = statements.get(text)
    if (known && (known.isParsed || known.batch === batch)) return known
    const statement = { name: `s${++named}`, batch, isParsed: false, columns: noColumns }
    statements.set(text, statement)
    out.parse(statement.name, text, values)
    out.describe(statement.name)
    return statement
  }

  /** The server keeps what it was given until it is told to close it: behind all that was asked of it. */
  const forgetOldest = () => {
    const [oldest] = statements
    if (!oldest || statements.size <= mostStatements) return
    const [text, { name }] = oldest
    statements.delete(text)
    out.close(name)
  }

  /** Nothing of it, when a value cannot be written down. */
  const written = (wanted: Wanted<unknown>): Statement => {
    const before = out.length()
    try {
      const statement = statementOf(wanted)
      out.bind(statement.name, wanted.values)
      out.execute()
      forgetOldest()
      return statement
    } catch (error) {
      out.cut(before)
      statements.delete(wanted.text)
      throw error
    }
  }

  return {
    out,
    send,
    isBatchOpen: () => isBatchOpen,

    ask(wanted: Wanted<unknown>, settle: Settle, plans = 0) {
      const asked = new Asked(wanted, written(wanted), settle)
      asked.plans = plans
      isBatchOpen = true
      line.push(asked)
      sendSoon()
    },

    /** As it stands: a batch by itself. */
    say(wanted: Wanted<unknown>, settle: Settle) {
      endBatch()
      out.simple(wanted.text)
      line.push(new Asked(wanted, undefined, settle))
      sendSoon()
    },
  }
}
