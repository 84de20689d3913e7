import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A proxy between a caller and the service that spoils some of the first answers. */
export const spoilingProxy = async (
  t: TestContext,
  target: string,
  spoil: readonly (Spoil | undefined)[],
) => {
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
    const spoilAnswer = spoil[seen.length - 1]
    if (spoilAnswer) return spoilAnswer(outgoing, body)
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body)
  })
  return { url: await listen(t, server), seen }
}

/** A stand-in for the service: gives these answers in turn, and the last one from then on. */
export const standIn = async (t: TestContext, answers: readonly Spoil[]) => {
  let asked = 0
  const server = createServer((_, outgoing) => answers[Math.min(asked++, answers.length - 1)]?.(outgoing, ''))
  return { url: await listen(t, server), asked: () => asked }
}

const listen = async (t: TestContext, server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export type Spoil = (outgoing: ServerResponse, body: string) => void

export const cut: Spoil = (outgoing) => void outgoing.destroy()

/** Answers like a server of HTTP/1.0, which does not give the length of its answer. */
export const halve =
  (status: number): Spoil =>
  ({ socket }, body) =>
    void socket?.end(
      `HTTP/1.0 ${status} \r\nContent-Type: application/json\r\nX-Track: halved\r\n\r\n${body.slice(0, body.length / 2)}`,
    )

export const redirectTo =
  (status: number, address: string): Spoil =>
  (outgoing) =>
    void outgoing.writeHead(status, { Location: address }).end()

export const refusing =
  (code: string): Spoil =>
  (outgoing) =>
    void outgoing
      .writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json', 'X-Track': 'spoiled' })
      .end(JSON.stringify({ code, message: 'Not now.' }))

/** Answers like a gateway that does not reach the service. */
export const foreignAnswer =
  (status: number, body: string): Spoil =>
  (outgoing) =>
    void outgoing.writeHead(status, { 'Content-Type': 'text/plain' }).end(body)

export const busy = refusing('e.xx.fw.9004')

const fieldsOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    ['content-type', 'accept', 'idempotency-key', 'if-match', 'x-track'].flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  )
