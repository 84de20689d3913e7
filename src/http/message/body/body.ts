import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { bodyUnreadable, notOneOf, overloaded, Problem } from '#core/problem.ts'
import { parseMediaType } from '#http/message/representation/media-type.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import { isTooLongToDiscard } from '#http/wire/connection.ts'
import {
  type Exchange,
  hasBody,
  header,
  isBodyComplete,
  refuseRepeatedField,
  sendContinue,
  whenBroken,
} from '#http/wire/exchange.ts'
import { discardLimitBytes } from '#http/wire/limits.ts'
import { parseJson } from './json.ts'
import { bodyMemory } from './memory-budget.ts'
import { decodeUtf8 } from './utf8.ts'
import { parseXml } from './xml-read.ts'

export type BodyType = 'application/json' | 'application/xml' | 'application/merge-patch+json'

export interface RawBody {
  readonly type: BodyType
  /** The body without its content coding, or as it was sent if it could not be inflated. */
  readonly bytes: Buffer
  readonly inflationProblem?: Problem
}

interface BodyRules {
  readonly types: readonly BodyType[]
  readonly limitBytes: number
  /** The memory budget that arriving bodies share. */
  readonly memory?: typeof bodyMemory
}

const gunzipAsync = promisify(gunzip)

/**
 * Reads a body. Faults of the head, such as `Content-Range`, are refused before the client is asked for the body. `checkHead`
 * checks the rest of the head. It runs only if the client waits for 100 Continue.
 */
export const readBody = async (
  exchange: Exchange,
  rules: BodyRules,
  checkHead?: () => void,
): Promise<RawBody> => {
  if (header(exchange, 'content-range') !== undefined) throw new Problem('httpSyntax')
  const declaredLength = header(exchange, 'content-length')
  if (declaredLength !== undefined && Number(declaredLength) > rules.limitBytes) throw tooLarge()
  const type = bodyType(exchange, rules.types)
  const coding = contentCoding(exchange)
  if (exchange.awaitsContinue) checkHead?.()
  sendContinue(exchange)
  const bytes = exchange.incoming.complete
    ? readArrived(exchange, rules.limitBytes)
    : await collect(exchange, rules)
  if (coding === 'identity') return { type, bytes }
  const plain = await inflateBody(bytes, rules)
  return plain
    ? { type, bytes: plain }
    : { type, bytes, inflationProblem: bodyUnreadable({ code: 'Compression' }) }
}

/**
 * Waits for the end of a body that nobody reads, because no request may run before its framing is known to be correct. If the
 * body is too long to discard, its end stays unknown: the connection closes with the answer, and a DELETE is refused, because
 * it could not be undone. False if there was nothing to wait for.
 */
export const waitForUnusedBody = async (exchange: Exchange): Promise<boolean> => {
  if (!hasBody(exchange) || (await isBodyComplete(exchange))) return false
  const isTooLong = isTooLongToDiscard(exchange.incoming) || !(await endsWithinDiscardLimit(exchange))
  if (isTooLong && exchange.method === 'DELETE') throw tooLarge()
  return true
}

const endsWithinDiscardLimit = (exchange: Exchange) => {
  sendContinue(exchange)
  const { incoming } = exchange
  return new Promise<boolean>((resolve, reject) => {
    let discardableBytes = discardLimitBytes
    incoming.on('data', (chunk: Buffer) => {
      discardableBytes -= chunk.length
      if (discardableBytes < 0) resolve(false)
    })
    incoming.on('end', () => resolve(true))
    whenBroken(incoming, reject)
  })
}

export const parseBody = (
  { type, bytes, inflationProblem }: RawBody,
  schema: JsonSchema,
  maxJsonValues?: number,
): unknown => {
  if (inflationProblem) throw inflationProblem
  const text = decodeUtf8(bytes)
  return type === 'application/xml' ? parseXml(text, schema) : parseJson(text, undefined, maxJsonValues)
}

const tooLarge = () => new Problem('bodyTooLarge')

/** An absent body cannot have the wrong type. Its absence is reported later. */
const bodyType = (exchange: Exchange, types: readonly BodyType[]): BodyType => {
  const contentType = header(exchange, 'content-type')
  if (contentType === undefined && !hasBody(exchange)) return types[0] ?? 'application/json'
  refuseRepeatedField(exchange.incoming, 'Content-Type')
  const plain = types.find((accepted) => accepted === contentType)
  if (plain) return plain
  const media = contentType === undefined ? undefined : parseMediaType(contentType)
  const type = types.find((accepted) => accepted === media?.type)
  if (!type || (media?.charset ?? 'utf-8') !== 'utf-8') throw unsupportedType(types)
  return type
}

export const unsupportedType = (types: readonly BodyType[]) => {
  const name = types.includes('application/merge-patch+json') ? 'Accept-Patch' : 'Accept'
  return new Problem('unsupportedMediaType', {
    details: [notOneOf('Content-Type', types, 'Pattern.mediaType')],
    headers: { [name]: types.join(', ') },
  })
}

const contentCoding = (exchange: Exchange): 'gzip' | 'identity' => {
  const coding = header(exchange, 'content-encoding')?.trim().toLowerCase() || 'identity'
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip'
  if (coding === 'identity') return 'identity'
  throw new Problem('unsupportedMediaType', {
    details: [notOneOf('Content-Encoding', codings)],
    headers: { 'Accept-Encoding': codings.join(', ') },
  })
}

const codings = ['gzip', 'identity']

/** Reads a body that has arrived, without events: a small body is read faster than they are emitted. */
const readArrived = ({ incoming }: Exchange, limitBytes: number): Buffer => {
  const chunks: Buffer[] = []
  for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  const bytes = joinChunks(chunks)
  if (bytes.length > limitBytes) throw tooLarge()
  return bytes
}

const joinChunks = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)

/** A chunk of one byte takes 256 bytes of memory, so chunks are joined whenever there are this many. */
const chunksPerJoin = 512

/** Listens for events, because iterating over the stream costs more than reading a small body. */
const collect = ({ incoming }: Exchange, { limitBytes, memory = bodyMemory }: BodyRules): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const share = memory(limitBytes)
    const chunks: Buffer[] = []
    let sizeBytes = 0
    let joinedCount = 0
    let isRefused = false
    const append = (chunk: Buffer) => {
      if (chunks.push(chunk) < joinedCount + chunksPerJoin) return
      joinedCount = chunks.push(Buffer.concat(chunks.splice(joinedCount)))
    }
    const refuse = (why: Problem) => {
      isRefused = true
      chunks.length = 0
      share.release()
      reject(why)
    }
    incoming.on('data', (chunk: Buffer) => {
      if (isRefused) return
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) refuse(tooLarge())
      else if (share.grow(sizeBytes)) append(chunk)
      else refuse(overloaded())
    })
    incoming.on('end', () => {
      resolve(joinChunks(chunks))
      share.release()
    })
    whenBroken(incoming, refuse)
  })

/** The most bytes that one byte of gzip can inflate to. */
const maxInflationRatio = 1_032

/** Undefined if the body is not gzip. The inflated size is unknown, so memory for the largest possible size is reserved. */
const inflateBody = async (
  bytes: Buffer,
  { limitBytes, memory = bodyMemory }: BodyRules,
): Promise<Buffer | undefined> => {
  const share = memory(limitBytes)
  if (!share.grow(bytes.length + Math.min(limitBytes, bytes.length * maxInflationRatio))) throw overloaded()
  try {
    return await gunzipAsync(bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    return undefined
  } finally {
    share.release()
  }
}
