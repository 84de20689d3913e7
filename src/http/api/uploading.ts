import { createHash } from 'node:crypto'
import { notOneOf, Problem } from '#core/problem.ts'
import { checkListConditions } from '#http/message/conditional.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header, sendContinue, whenBroken } from '#http/wire/exchange.ts'
import { type AdmittedRequest, readmit } from './admitted-request.ts'
import { idempotencyKey } from './idempotency.ts'
import { mutationAnswer, withLogPosition } from './mutation-answer.ts'
import { presentationParameters, presenter } from './presentation.ts'
import { readParameters } from './query.ts'
import type { Route, Upload } from './routes.ts'
import type { Rules } from './rules.ts'

/** Answers uploads. The body is handed on piece by piece while it arrives, and is never held as a whole. */
export const uploadAnswers = (route: Route, upload: Upload, rules: Rules) => {
  const present = presenter(route.shows, rules.writer)
  const parameters = { ...upload.parameters, ...presentationParameters(route) }
  return async (admitted: AdmittedRequest): Promise<Answer> => {
    const { exchange } = admitted
    const values = readParameters(admitted, parameters)
    await checkListConditions(exchange, rules.state)
    const isKeyed = idempotencyKey(exchange) !== undefined
    const digest = createHash('sha256')
    const prepared = await upload.keep(arriving(exchange, upload.limitBytes, (piece) => digest.update(piece)))
    const request = await readmit(admitted)
    const { params, admission, actor, admitAgain, base } = request
    const { principal } = admission
    const handle = async () => {
      const call = { params, principal, actor, expected: undefined, erases: false, base }
      const item = await route.handle({ ...call, body: values as never, prepared: prepared as never })
      if (!item) throw new TypeError('an upload makes an item')
      return mutationAnswer({ route, rules }, request, { item, presentation: present(request, values) })
    }
    const keyed = isKeyed ? { exchange, actor, body: digest.digest(), recheckAccess: admitAgain } : undefined
    return withLogPosition(rules, request, await rules.idempotency.answer(keyed, handle))
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
