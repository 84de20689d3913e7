import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commonMessages } from '#core/messages.ts'
import { Problem } from '#core/problem.ts'
import { readBody } from '#http/message/body/body.ts'
import { answerProblem, type RefusalContext } from '#http/message/refusal.ts'
import { type ListenerOptions, listener } from '#http/wire/listener.ts'

const rules: RefusalContext = { messages: commonMessages, locale: 'en', errorsUrl: '', basePath: '' }

export const doNothing = () => undefined

/** A listener that answers 204, after it has read the body of a POST (at most 1 MiB), and refuses DELETE with 403. */
export const newListener = (t: TestContext, options: Partial<ListenerOptions> = {}) => {
  const server = listener({
    mounts: [],
    fallback: async (exchange) => {
      if (exchange.method === 'POST')
        await readBody(exchange, { types: ['application/json'], limitBytes: 1024 * 1024 })
      if (exchange.method === 'DELETE') throw new Problem('forbidden')
      return { status: 204, headers: [] }
    },
    answerProblem: (problem, refused) => answerProblem(problem, refused, rules),
    log: { answer: doNothing, parserRefusal: doNothing, failure: doNothing },
    addressOf: () => '127.0.0.1',
    isDraining: () => false,
    ...options,
  })
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return server
}

export const startListener = async (t: TestContext, options: Partial<ListenerOptions> = {}) => {
  const server = newListener(t, options).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

export type StartedListener = Awaited<ReturnType<typeof startListener>>

export const openSocket = async (t: TestContext, server: StartedListener, localAddress = '127.0.0.1') => {
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true })
  socket.on('error', doNothing)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Polls until the condition holds, or until the test runner gives up. */
export const until = async (t: TestContext, condition: () => Promise<boolean>) => {
  while (!(await condition())) await sleep(20, undefined, { signal: t.signal })
}

export const collect = (socket: Socket) => {
  const received = { text: '' }
  socket.setEncoding('latin1').on('data', (text) => {
    received.text += text
  })
  return received
}

export const head = 'Host: x\r\nContent-Type: application/json\r\n'

/** True if a connection is served. If so, it stays open. */
export const isServed = async (t: TestContext, server: StartedListener, from: string) => {
  const socket = await openSocket(t, server, from)
  const received = collect(socket)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.race([once(socket, 'data'), once(socket, 'close'), once(socket, 'end')])
  return { isServed: received.text.startsWith('HTTP/1.1 204 '), socket }
}
