import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Target {
  readonly url: string
  readonly management: string
}

const checkIntervalMs = 100

/** A target whose health check takes longer gets no requests. */
const checkTimeoutMs = 400

/** How long the result of a health check counts, even if the machine is too busy for the next one. A stopping target accepts connections for 750 ms. */
const believedMs = 500

/** How often the balancer looks for a ready target, and the pause after each attempt. */
const maxTries = 300
const pauseMs = 20

/**
 * Forwards requests in turn to the targets that are ready, over keep-alive connections. It tries another target only
 * if a connection was refused: no request is sent twice.
 */
export const openBalancer = async (targets: readonly Target[]) => {
  const agent = new Agent({ keepAlive: true })
  /** When the last successful check began. */
  const readyAt = new Map<string, number>()
  const isReady = ({ url }: Target) =>
    performance.now() - (readyAt.get(url) ?? Number.NEGATIVE_INFINITY) < believedMs
  const check = async (target: Target) => {
    const askedAt = performance.now()
    if (await saysReady(target)) readyAt.set(target.url, askedAt)
    else readyAt.delete(target.url)
  }
  const timer = setInterval(() => targets.forEach(check), checkIntervalMs)
  let turn = 0
  const nextReady = () => {
    turn++
    return [...targets.slice(turn % targets.length), ...targets].find(isReady)
  }
  const lost: string[] = []

  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const sent = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
    for (let tries = 0; tries < maxTries; tries++) {
      const target = nextReady()
      const outcome = target ? await forward(agent, target.url, { sent, outgoing }) : refused
      if (outcome === 'answered') return
      if (outcome !== refused) {
        lost.push(`${sent.method} ${sent.path}: ${outcome}`)
        break
      }
      await sleep(pauseMs)
    }
    outgoing.writeHead(502).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    lost: lost as readonly string[],
    /** Resolves once the target gets requests. */
    async reaches(target: Target) {
      while (!isReady(target)) await sleep(checkIntervalMs)
    },
    close() {
      clearInterval(timer)
      agent.destroy()
      closeAll(server)
    },
  }
}

const refused = 'connection refused'

const saysReady = ({ management }: Target) =>
  fetch(`${management}/health/ready`, { signal: AbortSignal.timeout(checkTimeoutMs) }).then(
    async (answer) => {
      await answer.arrayBuffer()
      return answer.ok
    },
    () => false,
  )

interface ForwardedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

const forward = (
  agent: Agent,
  url: string,
  { sent, outgoing }: { sent: ForwardedRequest; outgoing: ServerResponse },
) =>
  new Promise<string>((resolve) => {
    const { method, path, headers, body } = sent
    const upstream = request(url + path, { method, headers: { ...headers, connection: 'keep-alive' }, agent })
    upstream.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? refused : (error.code ?? error.message)),
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
