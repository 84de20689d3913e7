import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'

// Everything that relies on undocumented behaviour of Node (decision 0038).

/** Lets a client that has closed its sending side still get the answers to its requests. */
export const answerHalfClosed = (server: Server) => void Object.assign(server, { httpAllowHalfOpen: true })

/** Closes only the listening socket. `close` of an HTTP server also cuts idle connections, although a request may be on its way. */
export const stopAccepting = (server: SocketServer): Promise<void> =>
  new Promise((closed) => void SocketServer.prototype.close.call(server, () => closed()))

/** True if the parser stopped at a method that it does not know. */
export const isAboutMethod = ({ code }: NodeJS.ErrnoException) => code === 'HPE_INVALID_METHOD'
