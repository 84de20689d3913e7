import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { memoize } from '#core/memoize.ts'
import type { Answer } from '#http/wire/answer.ts'
import type { HeaderList } from '#http/wire/headers.ts'
import { chooseCoding } from './accept.ts'

export type Coding = 'br' | 'gzip'

/** Below this size, compression costs more than it saves. */
const compressionThresholdBytes = 1024

/** A quality that saves much and costs little time. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }

/** The coding for a stream, whose length is unknown. */
export const codingForStream = (acceptEncoding: string | undefined): Coding | undefined =>
  acceptEncoding === undefined ? undefined : choiceOf(acceptEncoding).coding

/** The coding for a text. A small text is compressed only for callers that refuse uncompressed answers. */
export const codingForText = (acceptEncoding: string | undefined, text: string): Coding | undefined => {
  if (acceptEncoding === undefined) return undefined
  const { coding, acceptsUncompressed } = choiceOf(acceptEncoding)
  return coding && acceptsUncompressed && isSmall(text) ? undefined : coding
}

/** A UTF-16 unit takes one to three bytes in UTF-8, so bytes are counted only when the length alone does not decide. */
const isSmall = (text: string) =>
  text.length < compressionThresholdBytes &&
  (text.length * 3 < compressionThresholdBytes || Buffer.byteLength(text) < compressionThresholdBytes)

const choiceOf = memoize((acceptEncoding: string) => {
  const coding = chooseCoding(acceptEncoding, ['br', 'gzip', identity])
  return {
    coding: coding === identity ? undefined : (coding as Coding | undefined),
    acceptsUncompressed: chooseCoding(acceptEncoding, [identity]) === identity,
  }
})

const identity = 'identity'

export const compress = (text: string, coding: Coding): Promise<Buffer> =>
  coding === 'br' ? compressors.br(text, brotliOptions) : compressors.gzip(text)

/** The stream fails when `texts` fails, and ends `texts` when its reader stops. */
export const compressStream = (texts: AsyncIterable<string>, coding: Coding): AsyncIterable<Buffer> => {
  const compressor = coding === 'br' ? createBrotliCompress(brotliOptions) : createGzip()
  pipeline(texts, compressor, () => undefined)
  return compressor
}

/** The answer with this text in this coding. */
export const textAnswer = (
  headers: HeaderList,
  text: string,
  coding: Coding | undefined,
): Answer | Promise<Answer> =>
  coding ? compressedAnswer(headers, text, coding) : { status: 200, headers, body: text }

const compressedAnswer = async (headers: HeaderList, text: string, coding: Coding): Promise<Answer> => ({
  status: 200,
  headers: [...headers, 'Content-Encoding', coding],
  body: await compress(text, coding),
})
