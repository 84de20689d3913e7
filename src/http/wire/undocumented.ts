import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'

// Everything that relies on undocumented behaviour of Node (decision 0038).

/** Makes sure that a client that has closed its sending side still gets the answers to its requests. */
export const answerHalfClosed = (server: Server) => void Object.assign(server, { httpAllowHalfOpen: true })

/** Closes only the listening socket. An HTTP server's `close` would also cut idle connections with a request on its way. */
export const stopAccepting = (server: SocketServer): Promise<void> =>
  new Promise((closed) => void SocketServer.prototype.close.call(server, () => closed()))

/** Whether the parser stopped at a method that it does not know. */
export const isAboutMethod = ({ code }: NodeJS.ErrnoException) => code === 'HPE_INVALID_METHOD'
