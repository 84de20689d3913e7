import type { Server } from 'node:http'

/** Requests that are still there after so long are cut off. */
const drainLimitMs = 8_000

/** Stops listening and lets what is there finish; idle connections are closed at once. */
export const closeGracefully = async (server: Server) => {
  const limit = setTimeout(() => server.closeAllConnections(), drainLimitMs)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeIdleConnections()
  })
  clearTimeout(limit)
}
