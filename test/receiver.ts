import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'

/** A request that a receiver got. */
export interface Delivery {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly sequence: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

type Answering = (answer: ServerResponse, count: number) => void

export const withStatus =
  (status: number): Answering =>
  (answer) =>
    void answer.writeHead(status).end()

/** A receiver of webhooks on the loopback, with answers chosen by the test. */
export const startReceiver = async (t: TestContext, answering = withStatus(204)) => {
  const received: Delivery[] = []
  const receiver = { answering, received, url: '' }
  const server = createServer(async (incoming, answer) => {
    const body = await text(incoming)
    const headers = incoming.headers as Record<string, string>
    received.push({ ...JSON.parse(body), body, headers })
    receiver.answering(answer, received.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** True if a secret signed the request, according to the library of the Standard Webhooks specification. */
export const isSigned = ({ body, headers }: Delivery, secret: string): boolean => {
  try {
    new Webhook(secret).verify(body, { ...headers })
    return true
  } catch {
    return false
  }
}
