import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberOf } from './observed.ts'

/** Long enough for a second deliverer to send the same. */
const deliveryMs = 5

/** A webhook's receiver, which notes the numbers of what it gets. */
export const openReceiver = async () => {
  const numbers: number[] = []
  const server = createServer(async (request, response) => {
    numbers.push(numberOf(JSON.parse(await text(request))))
    await sleep(deliveryMs)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    numbers,
    close: () => server.close().closeAllConnections(),
  }
}
