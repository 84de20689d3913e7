import type { Socket } from 'node:net'
import { noColumns } from './columns.ts'
import { outgoing } from './outgoing.ts'
import type { AnswerQueue } from './queue.ts'
import { PendingRequest, type Request, type Settle, type Statement } from './request.ts'

const maxStatements = 1_000

/** Encodes and sends statements. Those requested in one turn of the event loop are one batch, sent in one piece. */
export const sendingTo = (socket: Socket, queue: AnswerQueue) => {
  const out = outgoing()
  const statements = new Map<string, Statement>()
  let named = 0
  let batch = 0
  let isBatchOpen = false
  let isScheduled = false

  const send = () => {
    if (out.length() > 0 && !socket.destroyed) socket.write(out.take())
  }
  const endBatch = () => {
    if (!isBatchOpen) return
    isBatchOpen = false
    batch++
    out.sync()
    queue.endBatch()
  }
  const sendSoon = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      endBatch()
      send()
    })
  }

  /** Reuses a statement that the server has prepared, or will prepare in the same batch, in which case both succeed or neither does. */
  const statementOf = ({ text, values }: Request<unknown>): Statement => {
    const known = statements.get(text)
    if (known && (known.isPrepared || known.batch === batch)) return known
    const statement = { name: `s${++named}`, batch, isPrepared: false, columns: noColumns }
    statements.set(text, statement)
    out.parse(statement.name, text, values)
    out.describe(statement.name)
    return statement
  }

  /** The server keeps statements until told to close them. The close is sent behind every use of the statement. */
  const forgetOldest = () => {
    const [oldest] = statements
    if (!oldest || statements.size <= maxStatements) return
    const [text, { name }] = oldest
    statements.delete(text)
    out.close(name)
  }

  /** Encodes a statement; if one of its values cannot be encoded, nothing of it is sent. */
  const written = (request: Request<unknown>): Statement => {
    const before = out.length()
    try {
      const statement = statementOf(request)
      out.bind(statement.name, request.values)
      out.execute()
      forgetOldest()
      return statement
    } catch (error) {
      out.cut(before)
      statements.delete(request.text)
      throw error
    }
  }

  return {
    out,
    send,
    isBatchOpen: () => isBatchOpen,

    ask(request: Request<unknown>, settle: Settle, plans = 0) {
      const pending = new PendingRequest(request, written(request), settle)
      pending.plans = plans
      isBatchOpen = true
      queue.push(pending)
      sendSoon()
    },

    /** Sends the text verbatim, as a batch of its own. */
    simple(request: Request<unknown>, settle: Settle) {
      endBatch()
      out.simple(request.text)
      queue.push(new PendingRequest(request, undefined, settle))
      sendSoon()
    },
  }
}
