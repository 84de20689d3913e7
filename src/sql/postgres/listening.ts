import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener, StopListening } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { listeners } from '#sql/listeners.ts'
import { isScarce, refusal } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Notified, Session } from './session.ts'
import type { Publishing } from './transaction.ts'

/** Receives what other processes publish, on its own connection; local listeners get what this process publishes at the commit. */
export const listening = (
  open: (notified: Notified) => Promise<Session>,
  limits: Limits,
  observer: Observer,
) => {
  const local = listeners()
  /** Marks what this process published, so that its echo is ignored. */
  let mark = newMark()
  const closing = new AbortController()
  let session: Promise<Session> | undefined
  /** There is no connection to be had for it yet. */
  let isAbsent = false
  let heartbeat: NodeJS.Timeout | undefined

  const notified: Notified = (topic, payload) => {
    if (!payload.startsWith(mark)) local.tell({ topic, payload: payload.slice(mark.length) })
  }

  const connect = async (): Promise<Session> => {
    const opened = await open(notified)
    await listenAgain(opened).catch((error: unknown) => {
      opened.drop()
      throw error
    })
    opened.whenLost(() => {
      if (!closing.signal.aborted) session = reconnect()
    })
    return opened
  }

  const listenAgain = async (opened: Session) => {
    for (const topic of local.topics()) await opened.exec(listenTo(topic))
  }

  const first = () => {
    const connecting = connect()
    connecting.catch((error) => {
      isAbsent = isScarce(error)
      session = isAbsent ? reconnect() : undefined
      session?.then(() => (isAbsent = false)).catch(() => undefined)
    })
    // A network that silently drops everything is noticed only by sending something.
    heartbeat ??= setInterval(() => void ping(), limits.heartbeatMs).unref()
    return connecting
  }

  const ping = () => session?.then((opened) => opened.exec('SELECT 1')).catch(() => undefined)

  /** What is published meanwhile is lost. Listeners are told at once, and again when the connection is back. */
  const reconnect = async (): Promise<Session> => {
    local.missed()
    for (;;) {
      await sleep(limits.reconnectMs, undefined, { signal: closing.signal, ref: false })
      const opened = await connect().catch((error) => void observer.taskEnded?.('listen', error))
      if (!opened) continue
      observer.taskEnded?.('listen')
      local.missed()
      return opened
    }
  }

  const publishing: Publishing = {
    signed: (payload) => mark + payload,
    committed: (publications) => publications.forEach(local.tell),
    unknown: (publications) => {
      if (publications.length === 0) return
      // If it was committed after all, its echo must not be ignored: it carries the old mark.
      mark = newMark()
      local.missed()
    },
  }

  return {
    publishing,

    async listen(topic: string, listener: Listener): Promise<StopListening> {
      const stop = local.add(topic, listener)
      try {
        session ??= first()
        const asked = session.then((opened) => opened.exec(listenTo(topic)))
        // As soon as there is a connection, it listens.
        if (isAbsent) asked.catch(() => undefined)
        else await asked
      } catch (error) {
        if (!isScarce(error)) {
          stop()
          throw refusal(error)
        }
      }
      return async () => stop()
    },

    async close() {
      closing.abort()
      clearInterval(heartbeat)
      await session?.then((opened) => opened.end()).catch(() => undefined)
    },
  }
}

/** All marks have the same length. */
const newMark = () => `${randomBytes(6).toString('base64url')} `

const listenTo = (topic: string) => `LISTEN "${topic.replaceAll('"', '""')}"`
