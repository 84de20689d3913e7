import { createHash } from 'node:crypto'
import { onceSucceeded } from '#core/once.ts'
import type { Answer } from '#http/answer.ts'
import type { Api, Responder } from '#http/api.ts'
import { isNotModified, requireTextMatch } from '#http/conditional.ts'
import { type Exchange, header } from '#http/exchange.ts'
import { readOnlyMethods, unlessRead } from '#http/read-only.ts'
import { codingFor, textAnswer } from '#http/representation/compression.ts'
import { validatorFields } from '#http/representation/showing.ts'
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
