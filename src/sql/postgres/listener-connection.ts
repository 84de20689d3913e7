import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener, StopListening } from '#sql/database.ts'
import type { Observer } from '#sql/engine.ts'
import { listeners } from '#sql/listeners.ts'
import { isOutOfConnections, toRefusal } from './errors.ts'
import type { Limits } from './limits.ts'
import type { OnNotification, Session } from './session.ts'
import type { Publishing } from './transaction.ts'

/** Receives what other processes publish, on a separate connection. What this process publishes reaches its listeners at the commit. */
export const listenerConnection = (
  open: (onNotification: OnNotification) => Promise<Session>,
  limits: Limits,
  observer: Observer,
) => {
  const localListeners = listeners()
  /** Begins every payload that this process publishes, so that its echo is ignored. */
  let ownPrefix = newPrefix()
  const closing = new AbortController()
  let session: Promise<Session> | undefined
  /** True while `reconnect` tries to open a connection. */
  let isDisconnected = false
  let heartbeat: NodeJS.Timeout | undefined

  const onNotification: OnNotification = (topic, payload) => {
    if (!payload.startsWith(ownPrefix))
      localListeners.notify({ topic, payload: payload.slice(ownPrefix.length) })
  }

  const connect = async (): Promise<Session> => {
    const opened = await open(onNotification)
    await listenToAll(opened).catch((error: unknown) => {
      opened.drop()
      throw error
    })
    opened.whenLost(() => {
      if (!closing.signal.aborted) session = reconnect()
    })
    return opened
  }

  const listenToAll = async (opened: Session) => {
    for (const topic of localListeners.topics()) await opened.exec(listenText(topic))
  }

  const connectFirst = () => {
    const connecting = connect()
    connecting.catch((error) => {
      session = isOutOfConnections(error) ? reconnect() : undefined
      session?.catch(() => undefined)
    })
    // If the network silently drops everything, only an attempt to send something detects this.
    heartbeat ??= setInterval(() => void ping(), limits.heartbeatMs).unref()
    return connecting
  }

  const ping = () => session?.then((opened) => opened.exec('SELECT 1')).catch(() => undefined)

  /** While there is no connection, payloads are lost. Listeners are told at once, and again when the connection is back. */
  const reconnect = async (): Promise<Session> => {
    isDisconnected = true
    localListeners.notifyLoss()
    for (;;) {
      await sleep(limits.reconnectMs, undefined, { signal: closing.signal, ref: false })
      const opened = await connect().catch((error) => void observer.taskEnded?.('listen', error))
      if (!opened) continue
      observer.taskEnded?.('listen')
      isDisconnected = false
      localListeners.notifyLoss()
      return opened
    }
  }

  const publishing: Publishing = {
    withPrefix: (payload) => ownPrefix + payload,
    onCommitted: (publications) => publications.forEach(localListeners.notify),
    onUnknown: (publications) => {
      if (publications.length === 0) return
      // The transaction may have been committed. The echo has the old prefix, so with a new prefix it is not ignored.
      ownPrefix = newPrefix()
      localListeners.notifyLoss()
    },
  }

  return {
    publishing,

    async listen(topic: string, listener: Listener): Promise<StopListening> {
      const stop = localListeners.add(topic, listener)
      try {
        session ??= connectFirst()
        const listened = session.then((opened) => opened.exec(listenText(topic)))
        // `reconnect` listens to every topic once there is a connection. Waiting for that here could keep the service from stopping.
        if (isDisconnected) listened.catch(() => undefined)
        else await listened
      } catch (error) {
        if (!isOutOfConnections(error)) {
          stop()
          throw toRefusal(error)
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

/** All prefixes have the same length. */
const newPrefix = () => `${randomBytes(6).toString('base64url')} `

const listenText = (topic: string) => `LISTEN "${topic.replaceAll('"', '""')}"`
