import type { IncomingHttpHeaders } from 'node:http'
import type { Refused } from './answer.ts'
import { pathOf, suffixOf } from './target.ts'
import { trackOf } from './track.ts'

/** A head that node:http has not parsed, because it does not know the method. */
export interface RawHead {
  /** Undefined if the first line is not a request line of any method. */
  readonly target: string | undefined
  /** Empty if the target has none. */
  readonly path: string
  /** Empty if the head did not arrive all at once. */
  readonly fields: IncomingHttpHeaders
}

const methodCharacter = /[!#$%&'*+.^_`|~0-9A-Za-z-]/

export const isMethodByte = (byte: number) => methodCharacter.test(String.fromCharCode(byte))

const requestLine = new RegExp(`^${methodCharacter.source}+ (\\S+) HTTP/1\\.[01]$`)
const headEnd = '\r\n\r\n'

export const readRawHead = (text: string): RawHead => {
  const end = text.indexOf(headEnd)
  const [line = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n')
  const target = requestLine.exec(line)?.[1]
  return { target, path: pathOf(target ?? ''), fields: end < 0 ? {} : fieldsOf(lines) }
}

/** Repeated fields are joined, as node:http joins them. */
const fieldsOf = (lines: readonly string[]): IncomingHttpHeaders => {
  const fields: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    fields[name] = fields[name] === undefined ? value : `${fields[name]}, ${value}`
  }
  return fields
}

/** How a request wants its refusal, according to its fields. */
export const refusedBy = (fields: IncomingHttpHeaders, path = ''): Refused => ({
  track: trackOf(fields),
  path,
  suffix: suffixOf(path),
  accept: fields.accept,
  acceptLanguage: fields['accept-language'],
  origin: fields.origin,
})
