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
  /** The decoded body, or the body as sent if decoding failed. */
  readonly bytes: Buffer
  readonly unreadable?: Problem
}

interface BodyRules {
  readonly types: readonly BodyType[]
  readonly limitBytes: number
  /** The memory budget that arriving bodies share. */
  readonly memory?: typeof bodyMemory
}

const inflate = promisify(gunzip)

/**
 * Reads a body. Refuses errors that the head alone shows, such as a partial body, before it asks the client for the body.
 * `checkHead` checks the other parts of the head, and runs only if the client waits to be asked.
 */
export const readBody = async (
  exchange: Exchange,
  rules: BodyRules,
  checkHead?: () => void,
): Promise<RawBody> => {
  if (header(exchange, 'content-range') !== undefined) throw new Problem('httpSyntax')
  const declared = header(exchange, 'content-length')
  if (declared !== undefined && Number(declared) > rules.limitBytes) throw tooLarge()
  const type = bodyType(exchange, rules.types)
  const coding = contentCoding(exchange)
  if (exchange.awaitsContinue) checkHead?.()
  sendContinue(exchange)
  const bytes = exchange.incoming.complete
    ? readArrived(exchange, rules.limitBytes)
    : await collect(exchange, rules)
  if (coding === 'identity') return { type, bytes }
  const plain = await inflated(bytes, rules)
  return plain ? { type, bytes: plain } : { type, bytes, unreadable: bodyUnreadable({ code: 'Compression' }) }
}

/**
 * Waits for the end of an unwanted body, because nothing may be done before its framing is known to be right. If it is longer
 * than we are willing to discard, the connection ends with the answer, and a DELETE is refused because it cannot be undone.
 * Returns false if there was nothing to wait for.
 */
export const waitedForEnd = async (exchange: Exchange): Promise<boolean> => {
  if (!hasBody(exchange) || (await isBodyComplete(exchange))) return false
  const isTooLong = isTooLongToDiscard(exchange.incoming) || !(await endsInTime(exchange))
  if (isTooLong && exchange.method === 'DELETE') throw tooLarge()
  return true
}

const endsInTime = (exchange: Exchange) => {
  sendContinue(exchange)
  const { incoming } = exchange
  return new Promise<boolean>((resolve, reject) => {
    let leftBytes = discardLimitBytes
    incoming.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length
      if (leftBytes < 0) resolve(false)
    })
    incoming.on('end', () => resolve(true))
    whenBroken(incoming, reject)
  })
}

export const parseBody = (
  { type, bytes, unreadable }: RawBody,
  schema: JsonSchema,
  maxJsonValues?: number,
): unknown => {
  if (unreadable) throw unreadable
  const text = decodeUtf8(bytes)
  return type === 'application/xml' ? parseXml(text, schema) : parseJson(text, undefined, maxJsonValues)
}

const tooLarge = () => new Problem('bodyTooLarge')

/** An absent body cannot have the wrong type. Its absence is reported later. */
const bodyType = (exchange: Exchange, types: readonly BodyType[]): BodyType => {
  const given = header(exchange, 'content-type')
  if (given === undefined && !hasBody(exchange)) return types[0] ?? 'application/json'
  refuseRepeatedField(exchange.incoming, 'Content-Type')
  const plain = types.find((known) => known === given)
  if (plain) return plain
  const media = given === undefined ? undefined : parseMediaType(given)
  const type = types.find((known) => known === media?.type)
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

/** A small body usually arrives with its head. Waiting for its events would take longer than reading it. */
const readArrived = ({ incoming }: Exchange, limitBytes: number): Buffer => {
  const chunks: Buffer[] = []
  for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) chunks.push(chunk)
  const bytes = whole(chunks)
  if (bytes.length > limitBytes) throw tooLarge()
  return bytes
}

const whole = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)

/** A chunk of one byte takes 256 bytes of memory, so this many chunks are joined into one. */
const joinedChunks = 512

/** Listens for events, because iterating over the stream costs more than reading a small body. */
const collect = ({ incoming }: Exchange, { limitBytes, memory = bodyMemory }: BodyRules): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const share = memory(limitBytes)
    const chunks: Buffer[] = []
    let sizeBytes = 0
    let joined = 0
    let isRefused = false
    const keep = (chunk: Buffer) => {
      if (chunks.push(chunk) < joined + joinedChunks) return
      joined = chunks.push(Buffer.concat(chunks.splice(joined)))
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
      else if (share.grow(sizeBytes)) keep(chunk)
      else refuse(overloaded())
    })
    incoming.on('end', () => {
      resolve(whole(chunks))
      share.release()
    })
    whenBroken(incoming, refuse)
  })

/** The most bytes that one byte of gzip can inflate to. */
const maxInflationRatio = 1_032

/** Undefined if the body is not gzip. The inflated size is not known before, so memory is reserved for the largest possible. */
const inflated = async (
  bytes: Buffer,
  { limitBytes, memory = bodyMemory }: BodyRules,
): Promise<Buffer | undefined> => {
  const share = memory(limitBytes)
  if (!share.grow(bytes.length + Math.min(limitBytes, bytes.length * maxInflationRatio))) throw overloaded()
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes })
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    return undefined
  } finally {
    share.release()
  }
}
