import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Target {
  readonly url: string
  readonly management: string
}

const checkIntervalMs = 100

/** Who takes longer is not sent anything: a stopping instance accepts connections for 750 ms. */
const checkTimeoutMs = 400

/**
 * Forwards requests in turn to the targets that are ready, over keep-alive connections. It tries another target only
 * if a connection was refused: no request is sent twice.
 */
export const openBalancer = async (targets: readonly Target[]) => {
  const agent = new Agent({ keepAlive: true })
  const ready = new Set<string>(targets.map(({ url }) => url))
  const check = () => targets.forEach((target) => void isReady(target).then((is) => note(ready, target, is)))
  const timer = setInterval(check, checkIntervalMs)
  let turn = 0
  const lost: string[] = []

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const order = targets.map((_, index) => targets[(turn + index) % targets.length] as Target)
    turn++
    const candidates = [...order.filter(({ url }) => ready.has(url)), ...order]
    const sent = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
    for (const { url } of candidates) {
      const outcome = await forward(agent, url, { sent, outgoing })
      if (outcome === 'answered') return
      if (outcome !== 'connection refused') {
        lost.push(`${sent.method} ${sent.path}: ${outcome}`)
        break
      }
    }
    outgoing.writeHead(502).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    lost: lost as readonly string[],
    /** Resolves once requests are sent there. */
    async reaches(url: string) {
      while (!ready.has(url)) await sleep(checkIntervalMs)
    },
    close() {
      clearInterval(timer)
      agent.destroy()
      closeAll(server)
    },
  }
}

const note = (ready: Set<string>, { url }: Target, is: boolean) => (is ? ready.add(url) : ready.delete(url))

const isReady = ({ management }: Target) =>
  fetch(`${management}/health/ready`, { signal: AbortSignal.timeout(checkTimeoutMs) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const forward = (agent: Agent, url: string, { sent, outgoing }: { sent: Sent; outgoing: ServerResponse }) =>
  new Promise<string>((resolve) => {
    const { method, path, headers, body } = sent
    const upstream = request(url + path, { method, headers: { ...headers, connection: 'keep-alive' }, agent })
    upstream.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'connection refused' : (error.code ?? error.message)),
    )
    upstream.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] ?? '' })
      answer.pipe(outgoing)
      answer.on('end', () => resolve('answered'))
      answer.on('error', (error) => resolve(error.message))
    })
    upstream.end(body)
  })

const closeAll = (server: Server) => {
  server.close()
  server.closeAllConnections()
}
