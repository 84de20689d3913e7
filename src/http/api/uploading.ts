import { createHash } from 'node:crypto'
import { notOneOf, Problem } from '#core/problem.ts'
import { requireListMatch } from '#http/message/conditional.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header, sendContinue, whenBroken } from '#http/wire/exchange.ts'
import { idempotencyKey } from './idempotency.ts'
import { mutationAnswer, withCursor } from './mutation-answer.ts'
import { readParameters } from './query.ts'
import type { Route, Upload } from './routes.ts'
import type { Rules } from './rules.ts'
import { showingParameters, showings } from './showing.ts'
import { admittedAgain, type Visit } from './visit.ts'

/** Answers uploads. The body is handed on piece by piece while it arrives, and is never held as a whole. */
export const uploadAnswers = (route: Route, upload: Upload, rules: Rules) => {
  const showing = showings(route.shows, rules.writer)
  const parameters = { ...upload.parameters, ...showingParameters(route) }
  return async (admitted: Visit): Promise<Answer> => {
    const { exchange } = admitted
    const values = readParameters(admitted, parameters)
    await requireListMatch(exchange, rules.state)
    const isKeyed = idempotencyKey(exchange) !== undefined
    const digest = createHash('sha256')
    const prepared = await upload.keep(arriving(exchange, upload.limitBytes, (piece) => digest.update(piece)))
    const visit = await admittedAgain(admitted)
    const { params, admission, actor, admitAgain, base } = visit
    const { principal } = admission
    const handle = async () => {
      const call = { params, principal, actor, expected: undefined, erases: false, base }
      const item = await route.handle({ ...call, body: values as never, prepared: prepared as never })
      if (!item) throw new TypeError('an upload makes an item')
      return mutationAnswer({ route, rules }, visit, { item, showing: showing(visit, values) })
    }
    const keyed = isKeyed ? { exchange, actor, body: digest.digest(), judge: admitAgain } : undefined
    return withCursor(rules, visit, await rules.idempotency.answer(keyed, handle))
  }
}

async function* arriving(
  exchange: Exchange,
  limitBytes: number,
  seen: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { incoming } = exchange
  if (Number(header(exchange, 'content-length') ?? 0) > limitBytes) throw new Problem('bodyTooLarge')
  if (!['', 'identity'].includes(header(exchange, 'content-encoding')?.trim().toLowerCase() ?? ''))
    throw new Problem('unsupportedMediaType', {
      details: [notOneOf('Content-Encoding', ['identity'])],
      headers: { 'Accept-Encoding': 'identity' },
    })
  sendContinue(exchange)
  const lost = new Promise<never>((_, reject) => whenBroken(incoming, reject))
  lost.catch(() => undefined)
  // A `for await` loop that ends early would destroy the connection.
  const chunks = incoming[Symbol.asyncIterator]()
  const next = () => Promise.race([chunks.next().catch(() => lost), lost])
  let sizeBytes = 0
  for (let { done, value } = await next(); !done; { done, value } = await next()) {
    sizeBytes += value.length
    if (sizeBytes > limitBytes) throw new Problem('bodyTooLarge')
    seen(value)
    yield value
  }
}
