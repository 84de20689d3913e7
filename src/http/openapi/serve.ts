import { hash } from 'node:crypto'
import { memoizeSuccess } from '#core/once.ts'
import { answerUnlessRead } from '#http/api/read-only.ts'
import { itemAnswer } from '#http/api/reading.ts'
import { requireMatch } from '#http/message/conditional.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Node } from './node.ts'

const presentation = { format: 'json', variant: 'j.whole' } as const

/** Answers reads of the document, for everyone. The document is built at the first read. */
export const documentAnswers = (document: () => Promise<Node>): Responder => {
  const loadOnce = memoizeSuccess(async () => {
    const text = JSON.stringify(await document())
    return { text, state: { tagPrefix: `${hash('sha256', text, 'base64url').slice(0, 16)}.` } }
  })
  return async (exchange) => {
    exchange.routePattern = '/openapi.json'
    const other = answerUnlessRead(exchange)
    if (other) return other
    const { text, state } = await loadOnce()
    requireMatch({ exchange, params: {} }, state)
    return itemAnswer(exchange, state, { presentation, text })
  }
}
