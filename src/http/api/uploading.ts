import { createHash } from 'node:crypto'
import { notOneOf, Problem } from '#core/problem.ts'
import { checkListConditions } from '#http/message/conditional.ts'
import type { Answer } from '#http/wire/answer.ts'
import { type Exchange, header, sendContinue, whenBroken } from '#http/wire/exchange.ts'
import { type AdmittedRequest, readmit } from './admitted-request.ts'
import type { ApiContext } from './api-context.ts'
import { idempotencyKey } from './idempotency.ts'
import { mutationAnswer, withChangeCursor } from './mutation-answer.ts'
import { presentationParameters, presenter } from './presentation.ts'
import { readParameters } from './query.ts'
import type { Route, Upload } from './routes.ts'

/** Answers uploads. The body is passed on piece by piece while it arrives, so that it is never in memory as a whole. */
export const uploadAnswers = (route: Route, upload: Upload, context: ApiContext) => {
  const present = presenter(route.shows, context.writer)
  const parameters = { ...upload.parameters, ...presentationParameters(route) }
  return async (admitted: AdmittedRequest): Promise<Answer> => {
    const { exchange } = admitted
    const values = readParameters(admitted, parameters)
    await checkListConditions(exchange, context.commitToken)
    const hasKey = idempotencyKey(exchange) !== undefined
    const digest = createHash('sha256')
    const prepared = await upload.store(
      bodyPieces(exchange, upload.limitBytes, (piece) => digest.update(piece)),
    )
    const request = await readmit(admitted)
    const { params, admission, actor, admitAgain, serviceUrl } = request
    const { principal } = admission
    const handle = async () => {
      const call = { params, principal, actor, expectedVersion: undefined, isErasure: false, serviceUrl }
      const item = await route.handle({ ...call, body: values as never, prepared: prepared as never })
      if (!item) throw new TypeError('an upload makes an item')
      return mutationAnswer({ route, context }, request, { item, presentation: present(request, values) })
    }
    const keyedRequest = hasKey
      ? { exchange, actor, body: digest.digest(), subject: undefined, recheckAccess: admitAgain }
      : undefined
    return withChangeCursor(context, request, await context.idempotency.answer(keyedRequest, handle))
  }
}

async function* bodyPieces(
  exchange: Exchange,
  limitBytes: number,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const { incoming } = exchange
  if (Number(header(exchange, 'content-length') ?? 0) > limitBytes) throw new Problem('bodyTooLarge')
  if (!['', 'identity'].includes(header(exchange, 'content-encoding')?.trim().toLowerCase() ?? ''))
    throw new Problem('unsupportedMediaType', {
      details: [notOneOf('Content-Encoding', ['identity'])],
      headers: { 'Accept-Encoding': 'identity' },
    })
  sendContinue(exchange)
  const broken = new Promise<never>((_, reject) => whenBroken(incoming, reject))
  broken.catch(() => undefined)
  // A `for await` loop that ends early would destroy the connection.
  const chunks = incoming[Symbol.asyncIterator]()
  const next = () => Promise.race([chunks.next().catch(() => broken), broken])
  let sizeBytes = 0
  for (let { done, value } = await next(); !done; { done, value } = await next()) {
    sizeBytes += value.length
    if (sizeBytes > limitBytes) throw new Problem('bodyTooLarge')
    onPiece(value)
    yield value
  }
}
