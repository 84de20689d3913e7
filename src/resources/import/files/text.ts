import { isAscii } from 'node:buffer'
import { endOfTurn } from '#core/event-loop.ts'
import { type Encoding, encodingOf } from '#core/foreign-files.ts'
import { FileRefused, maxFileBytes } from './refused.ts'

/** A block is small enough to be read within a few milliseconds, and large enough to detect the format of a file. */
const blockBytes = 16 * 1024

/** Splits the bytes into blocks of one size. Requests are served between the blocks. */
export async function* blocksOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = maxFileBytes,
  size = blockBytes,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let rest = Buffer.alloc(0)
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > maxBytes) throw new FileRefused('large', { max: maxBytes / 1024 ** 2 })
    rest = Buffer.concat([rest, chunk])
    let from = 0
    for (; rest.length - from >= size; from += size) {
      yield rest.subarray(from, from + size)
      await endOfTurn()
    }
    rest = rest.subarray(from)
  }
  if (rest.length > 0) yield rest
}

/**
 * Decodes the text of a file. If no encoding is chosen, it is guessed from the first block with a byte that is not ASCII. Earlier
 * blocks are the same in all encodings except UTF-16, whose first bytes are not ASCII.
 */
export async function* textsOf(
  blocks: AsyncIterable<Buffer<ArrayBuffer>>,
  chosenEncoding?: Encoding,
): AsyncGenerator<string> {
  let decoder = chosenEncoding && strictDecoder(chosenEncoding)
  let line = 1
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder?.decode(bytes, { stream: bytes !== undefined }) ?? ''
    } catch {
      throw new FileRefused('encoding', { line, encoding: decoder?.encoding ?? '' })
    }
  }
  for await (const block of blocks) {
    if (!decoder && !isAscii(block)) decoder = strictDecoder(guessEncoding(block))
    let text = decoder ? '' : block.toString('latin1')
    for (const bytes of linesIn(block)) {
      if (decoder) text += decode(bytes)
      if (bytes.at(-1) === lineFeed) line++
    }
    yield text
  }
  yield decode()
}

const strictDecoder = (encoding: Encoding) => new TextDecoder(encoding, { fatal: true })

/** Guesses the encoding of a text from a block of it. The last line of the block may end within a character. */
export const guessEncoding = (block: Buffer<ArrayBuffer>): Encoding => {
  const complete = block.subarray(0, block.lastIndexOf(lineFeed) + 1)
  const encoding = encodingOf(complete.length > 0 ? complete : block)
  if (!encoding) throw new FileRefused('binary')
  return encoding
}

const lineFeed = 10

function* linesIn(bytes: Buffer) {
  let from = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, from)) {
    yield bytes.subarray(from, at + 1)
    from = at + 1
  }
  if (from < bytes.length) yield bytes.subarray(from)
}
