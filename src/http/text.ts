import { isUtf8 } from 'node:buffer'
import { bodyUnreadable } from '#core/problem.ts'

/** The text of a body, without its byte order mark. Bytes that are not UTF-8 are refused, never replaced. */
export const decodeUtf8 = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw bodyUnreadable({ code: 'Encoding' })
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
}

/** A text that was put together of pieces stays so until somebody measures it, and is put together anew each time. */
export const inOnePiece = (text: string): string => {
  Buffer.byteLength(text)
  return text
}
