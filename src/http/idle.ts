import type { Server, ServerResponse } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { idleCheckMs } from './limits.ts'

/** The answer that is under way on a connection, if one is. */
export const answerOn = (socket: Duplex) =>
  (socket as Duplex & { readonly _httpMessage?: ServerResponse | null })._httpMessage

/**
 * To node:http a blank line between requests is life: with one now and then a connection would stay for ever. Here it
 * is cut when after an answer the next head is not there in the time that node:http gives to come and to arrive.
 */
export const cutIdle = (server: Server) => {
  const { keepAliveTimeout, keepAliveTimeoutBuffer, headersTimeout } = server
  const limitMs = keepAliveTimeout + keepAliveTimeoutBuffer + headersTimeout
  const open = new Map<Socket, Look>()
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    open.set(socket, { writtenBytes: 0, sinceMs: performance.now() })
    socket.once('close', () => open.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, look] of open) if (idleMs(socket, look) > limitMs) socket.destroy()
  }, idleCheckMs).unref()
  server.on('close', () => clearInterval(timer))
}

/** What was written when there was something new last. */
interface Look {
  writtenBytes: number
  sinceMs: number
}

const idleMs = (socket: Socket, look: Look) => {
  const now = performance.now()
  if (socket.bytesWritten !== look.writtenBytes || answerOn(socket)) {
    look.writtenBytes = socket.bytesWritten
    look.sinceMs = now
  }
  return now - look.sinceMs
}
