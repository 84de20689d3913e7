import { createHash } from 'node:crypto'
import { onceSucceeded } from '#core/once.ts'
import { unlessRead } from '#http/api/read-only.ts'
import { validatorFields } from '#http/api/showing.ts'
import { isNotModified, requireTextMatch } from '#http/message/conditional.ts'
import { codingFor, textAnswer } from '#http/message/representation/compression.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import type { Node } from './node.ts'

/** Shows the document to everyone. It is built at the first read. */
export const documentAnswers = (document: () => Promise<Node>): Responder => {
  const text = onceSucceeded(async () => digested(JSON.stringify(await document())))
  return async (exchange) => {
    exchange.place = '/openapi.json'
    return unlessRead(exchange) ?? show(exchange, await text())
  }
}

interface Text {
  readonly text: string
  readonly digest: string
}

const digested = (text: string): Text => ({
  text,
  digest: createHash('sha256').update(text).digest('base64url').slice(0, 16),
})

const show = (exchange: Exchange, { text, digest }: Text): Answer | Promise<Answer> => {
  requireTextMatch(exchange, digest)
  const coding = codingFor(header(exchange, 'accept-encoding'), text)
  const tag = `"${digest}${coding ? `.${coding}` : ''}"`
  const headers = validatorFields(tag)
  if (isNotModified(exchange, { tag })) return { status: 304, headers }
  return textAnswer([...headers, 'Content-Type', 'application/json'], text, coding)
}
