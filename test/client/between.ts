import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Stands between a caller and the service, and spoils some of the first answers. */
export const between = async (t: TestContext, target: string, spoil: readonly (Spoil | undefined)[]) => {
  const seen: { method: string; key: string | undefined; atMs: number }[] = []
  const server = createServer(async (incoming, outgoing) => {
    const key = incoming.headers['idempotency-key']
    seen.push({ method: incoming.method ?? '', key: key?.toString(), atMs: performance.now() })
    const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>)
    const answer = await fetch(target + incoming.url, {
      method: incoming.method ?? '',
      headers: fieldsOf(incoming),
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    })
    const body = await answer.text()
    const how = spoil[seen.length - 1]
    if (how) return how(outgoing)
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

type Spoil = (outgoing: ServerResponse) => void

export const cut: Spoil = (outgoing) => void outgoing.destroy()

export const refusing =
  (code: string): Spoil =>
  (outgoing) =>
    void outgoing
      .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json' })
      .end(JSON.stringify({ code, message: 'Not now.' }))

export const busy = refusing('e.xx.fw.9004')

const fieldsOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    ['content-type', 'accept', 'idempotency-key', 'if-match', 'x-track'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  )
