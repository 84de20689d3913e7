import { createHash } from 'node:crypto'
import { onceSucceeded } from '#core/once.ts'
import type { Api } from '#http/api/api.ts'
import { readOnlyMethods, unlessRead } from '#http/api/read-only.ts'
import { validatorFields } from '#http/api/showing.ts'
import { isNotModified, requireTextMatch } from '#http/message/conditional.ts'
import { codingFor, textAnswer } from '#http/message/representation/compression.ts'
import type { Answer, Responder } from '#http/wire/answer.ts'
import { type Exchange, header } from '#http/wire/exchange.ts'
import type { Node } from './node.ts'

/** Serves the document below the prefix, to everyone, and leaves every other path to the API. */
export const documented = (prefix: string, document: () => Promise<Node>, api: Api): Api => {
  const path = `${prefix}/openapi.json`
  const text = onceSucceeded(async () => digested(JSON.stringify(await document())))
  const respond: Responder = async (exchange) => {
    exchange.place = '/openapi.json'
    return unlessRead(exchange) ?? show(exchange, await text())
  }
  return {
    respond: (exchange) => (exchange.target.path === path ? respond(exchange) : api.respond(exchange)),
    allowAt: (asked) => (asked === path ? readOnlyMethods : api.allowAt(asked)),
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
