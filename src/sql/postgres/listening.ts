import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener, StopListening } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { listeners } from '#sql/listeners.ts'
import { isOutOfConnections, refusal } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Notified, Session } from './session.ts'
import type { Publishing } from './transaction.ts'

/** Receives what other processes publish, on a connection of its own. Payloads of this process reach local listeners at the commit. */
export const listening = (
  open: (notified: Notified) => Promise<Session>,
  limits: Limits,
  observer: Observer,
) => {
  const local = listeners()
  /** Marks the payloads of this process, so that their echo is ignored. */
  let mark = newMark()
  const closing = new AbortController()
  let session: Promise<Session> | undefined
  /** Whether there is no connection, and `reconnect` tries to open one. */
  let isAway = false
  let heartbeat: NodeJS.Timeout | undefined

  const notified: Notified = (topic, payload) => {
    if (!payload.startsWith(mark)) local.notify({ topic, payload: payload.slice(mark.length) })
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
      session = isOutOfConnections(error) ? reconnect() : undefined
      session?.catch(() => undefined)
    })
    // Only sending something detects a network that silently drops everything.
    heartbeat ??= setInterval(() => void ping(), limits.heartbeatMs).unref()
    return connecting
  }

  const ping = () => session?.then((opened) => opened.exec('SELECT 1')).catch(() => undefined)

  /** Payloads are lost while there is no connection. Listeners learn so at once, and again when the connection is back. */
  const reconnect = async (): Promise<Session> => {
    isAway = true
    local.notifyLoss()
    for (;;) {
      await sleep(limits.reconnectMs, undefined, { signal: closing.signal, ref: false })
      const opened = await connect().catch((error) => void observer.taskEnded?.('listen', error))
      if (!opened) continue
      observer.taskEnded?.('listen')
      isAway = false
      local.notifyLoss()
      return opened
    }
  }

  const publishing: Publishing = {
    signed: (payload) => mark + payload,
    committed: (publications) => publications.forEach(local.notify),
    unknown: (publications) => {
      if (publications.length === 0) return
      // The transaction may have been committed. A new mark keeps its echo, which has the old mark, from being ignored.
      mark = newMark()
      local.notifyLoss()
    },
  }

  return {
    publishing,

    async listen(topic: string, listener: Listener): Promise<StopListening> {
      const stop = local.add(topic, listener)
      try {
        session ??= first()
        const asked = session.then((opened) => opened.exec(listenTo(topic)))
        // `reconnect` listens to every topic as soon as there is a connection. Waiting for it would keep the service from stopping.
        if (isAway) asked.catch(() => undefined)
        else await asked
      } catch (error) {
        if (!isOutOfConnections(error)) {
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
