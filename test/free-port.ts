import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const portsOfAProcess = 1_000

/**
 * Systems hand out ports from 16,000 or 32,768 upwards, so none gives one of these to another program before it is used. Each process that
 * `npm test` runs beside others has a thousand of its own.
 */
const lowest = 10_000 + portsOfAProcess * Number(process.env.TEST_PROCESS ?? 0)

/** Neither `fetch` nor a browser connects to this one. */
const blocked = 10_080

let offset = randomInt(portsOfAProcess)

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  offset = (offset + 1) % portsOfAProcess
  const port = lowest + offset
  if (port === blocked) return freePort()
  const server = createServer().listen(port)
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
