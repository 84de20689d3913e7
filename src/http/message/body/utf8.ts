import { isUtf8 } from 'node:buffer'
import { bodyUnreadable } from '#core/problem.ts'
import { positionAt } from './position.ts'

/** The text of a body, without its byte order mark. Bytes that are not UTF-8 are refused, never replaced. */
export const decodeUtf8 = (bytes: Buffer): string => {
  const hasByteOrderMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const text = bytes.toString('utf8', hasByteOrderMark ? 3 : 0)
  if (isUtf8(bytes)) return text
  const at = firstReplacedIndex(text, hasByteOrderMark ? bytes.subarray(3) : bytes)
  throw bodyUnreadable({ code: 'Encoding', args: { ...positionAt(text, at) } })
}

const replacementBytes = Buffer.from('\ufffd')

/** The index of the first U+FFFD that replaces invalid bytes. A client may also have sent U+FFFD itself. */
const firstReplacedIndex = (text: string, bytes: Buffer): number => {
  let from = 0
  let offset = 0
  for (const { index } of text.matchAll(/\ufffd/g)) {
    offset += Buffer.byteLength(text.slice(from, index))
    from = index
    if (!bytes.subarray(offset, offset + replacementBytes.length).equals(replacementBytes)) break
  }
  return from
}
