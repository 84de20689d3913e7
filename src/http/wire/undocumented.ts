import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'

// All that we need of Node and that its documentation does not promise (decision 0038).

/** A client that has closed its sending side still gets the answers to its requests. */
export const answerHalfClosed = (server: Server) => void Object.assign(server, { httpAllowHalfOpen: true })

/** Closes only the listening socket: a server of HTTP would close its idle connections too, with requests on their way to it. */
export const stopAccepting = (server: SocketServer): Promise<void> =>
  new Promise((closed) => void SocketServer.prototype.close.call(server, () => closed()))

/** The code of an error about a method that the parser does not know. */
export const isAboutMethod = ({ code }: NodeJS.ErrnoException) => code === 'HPE_INVALID_METHOD'
