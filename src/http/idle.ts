import type { Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { idleCheckMs } from './limits.ts'

/** The answer that is under way on a connection, if one is. */
export const answerOn = (socket: Duplex) =>
  (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage

/**
 * Cuts connections on which nothing comes after an answer. It looks at all of them now and then, where node:http would
 * set two timers for every request. A blank line, which keeps a connection alive for node:http, does not here: the next
 * head must be complete within the time to begin and the time to arrive.
 */
export const cutIdle = (server: Server, keepAliveMs: number) => {
  const limits = { quietMs: keepAliveMs, headMs: keepAliveMs + server.headersTimeout }
  const open = new Map<Socket, Progress>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const now = performance.now()
    open.set(socket, { readBytes: 0, readAtMs: now, writtenBytes: 0, writtenAtMs: now })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, progress] of open) if (isIdle(socket, progress, limits)) socket.destroy()
  }, idleCheckMs).unref()
  server.on('close', () => clearInterval(timer))
}

/** How many bytes had been read and written when that last changed, and when it did. */
interface Progress {
  readBytes: number
  readAtMs: number
  writtenBytes: number
  writtenAtMs: number
}

interface Limits {
  /** How long nothing at all may come. */
  readonly quietMs: number
  /** How long the next head may take. */
  readonly headMs: number
}

const isIdle = (socket: Socket, progress: Progress, { quietMs, headMs }: Limits) => {
  const now = performance.now()
  const { bytesRead, bytesWritten } = socket
  if (bytesRead !== progress.readBytes) {
    progress.readBytes = bytesRead
    progress.readAtMs = now
  }
  if (bytesWritten !== progress.writtenBytes || answerOn(socket)) {
    progress.writtenBytes = bytesWritten
    progress.writtenAtMs = now
  }
  // A connection without any answer yet gets its 408 from node:http.
  if (progress.writtenBytes === 0) return false
  const quietSinceMs = Math.max(progress.readAtMs, progress.writtenAtMs)
  return now - quietSinceMs > quietMs || now - progress.writtenAtMs > headMs
}
