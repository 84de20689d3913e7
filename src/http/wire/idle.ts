import type { Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { idleCheckMs } from './limits.ts'

/** The answer under way on a connection, if any. */
export const answerOn = (socket: Duplex) =>
  (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage

/**
 * Cuts connections on which nothing follows an answer. It checks all of them periodically, where node:http would set two
 * timers for every request. A blank line keeps a connection alive in node:http, but not here: the next head must be
 * complete within the keep-alive time plus the time allowed for a head.
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

/** How many bytes had been read and written at the last check, and when each count last changed. */
interface Progress {
  readBytes: number
  readAtMs: number
  writtenBytes: number
  writtenAtMs: number
}

interface Limits {
  /** How long a connection may be silent. */
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
