import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** The system assigns free ports from 32,768 upwards, so it will not hand out one of these before it is used. */
const [lowest, highest] = [20_000, 32_767]

/** A port on the loopback that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(lowest, highest + 1)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return freePort()
    throw error
  }
  server.close()
  await once(server, 'close')
  return port
}
