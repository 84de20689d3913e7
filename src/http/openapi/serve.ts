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

const name = '/openapi'

/** Serves the document below the prefix, to everyone, and leaves every other path to the API. */
export const documented = (prefix: string, document: () => Promise<Node>, api: Api): Api => {
  const forms = new Map([
    [`${prefix}${name}.json`, textOf(async () => JSON.stringify(await document()), 'application/json')],
    [`${prefix}${name}.yaml`, textOf(() => yamlOf(document), 'application/yaml')],
  ])
  const respond: Responder = (exchange) => {
    const { path } = exchange.target
    // Comparing the beginning is faster than looking up the whole path.
    const text = path.startsWith(name, prefix.length) ? forms.get(path) : undefined
    if (!text) return api.respond(exchange)
    exchange.place = path.slice(prefix.length)
    return answer(exchange, text)
  }
  return { respond, allowAt: (path) => (forms.has(path) ? readOnlyMethods : api.allowAt(path)) }
}

const answer = async (exchange: Exchange, text: () => Promise<Text>): Promise<Answer> =>
  unlessRead(exchange) ?? show(exchange, await text())

interface Text {
  readonly text: string
  readonly type: string
  readonly digest: string
}

/** The document is written on the first request for it. */
const textOf = (write: () => Promise<string>, type: string) =>
  onceSucceeded(async () => digested(await write(), type))

const yamlOf = async (document: () => Promise<Node>) => {
  const { toYaml } = await import('./yaml.ts')
  return toYaml(await document())
}

const digested = (text: string, type: string): Text => ({
  text,
  type,
  digest: createHash('sha256').update(text).digest('base64url').slice(0, 16),
})

const show = (exchange: Exchange, { text, type, digest }: Text): Answer | Promise<Answer> => {
  requireTextMatch(exchange, digest)
  const coding = codingFor(header(exchange, 'accept-encoding'), text)
  const tag = `"${digest}${coding ? `.${coding}` : ''}"`
  const headers = validatorFields(tag)
  if (isNotModified(exchange, { tag })) return { status: 304, headers }
  return textAnswer([...headers, 'Content-Type', type], text, coding)
}
