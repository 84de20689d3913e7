import { createHash } from 'node:crypto'
import { endOfTurn } from '#core/event-loop.ts'
import { notOneOf, overloaded, Problem } from '#core/problem.ts'
import { memoryBudget } from '#http/message/body/memory-budget.ts'
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

/** The most bytes of a body that wait to be stored. */
const bufferBytes = 256 * 1024

/** Enough for about 128 uploads at a time: each has one buffer here, and one of the same size where it is stored. */
const uploadMemory = memoryBudget(256 * bufferBytes)

/** Each chunk takes 256 bytes of memory in addition to its own, so chunks are joined whenever there are this many. */
const chunksPerJoin = 512

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
  const memory = uploadMemory(bufferBytes)
  if (!memory.grow(2 * bufferBytes)) throw overloaded()
  sendContinue(exchange)
  let chunks: Buffer[] = []
  let [bufferedBytes, sizeBytes] = [0, 0]
  let isEnded = false
  let failure: Problem | undefined
  let wake = (): void => undefined
  const end = (why?: Problem) => {
    isEnded = true
    failure ??= why
    wake()
  }
  // Listens for events, because a loop over the stream takes too long for small chunks.
  incoming.on('data', (chunk: Buffer) => {
    if (isEnded) return
    sizeBytes += chunk.length
    bufferedBytes += chunk.length
    if (sizeBytes > limitBytes) return end(new Problem('bodyTooLarge'))
    if (chunks.push(chunk) === chunksPerJoin) chunks = [Buffer.concat(chunks)]
    if (bufferedBytes >= bufferBytes) incoming.pause()
    wake()
  })
  incoming.once('end', () => end())
  whenBroken(incoming, end)
  try {
    for (;;) {
      if (failure) throw failure
      const piece = Buffer.concat(chunks)
      chunks = []
      bufferedBytes = 0
      incoming.resume()
      if (piece.length > 0) {
        onPiece(piece)
        yield piece
      } else if (isEnded) return
      else {
        await new Promise<void>((resolve) => (wake = resolve))
        // Chunks that arrive together become one piece, although Node runs this function between them.
        await endOfTurn()
      }
    }
  } finally {
    end()
    incoming.resume()
    memory.release()
  }
}
