import type { IncomingHttpHeaders } from 'node:http'
import type { Refused } from './refusal.ts'
import { suffixOf } from './target.ts'
import { trackOf } from './track.ts'

/** A head that node:http has not read, for it does not know its method. */
export interface RawHead {
  /** Undefined where the first line is no request line, whatever the method. */
  readonly target: string | undefined
  /** Empty where the target is not in origin form. */
  readonly path: string
  /** Empty where the head did not come at once. */
  readonly fields: IncomingHttpHeaders
}

const requestLine = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ (\S+) HTTP\/1\.[01]$/
const headEnd = '\r\n\r\n'

export const readRawHead = (text: string): RawHead => {
  const end = text.indexOf(headEnd)
  const [line = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n')
  const target = requestLine.exec(line)?.[1]
  return { target, path: /^\/[^?]*/.exec(target ?? '')?.[0] ?? '', fields: end < 0 ? {} : fieldsOf(lines) }
}

/** What comes more than once is joined, as node:http does. */
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

/** How a request wants its refusal, by its fields. */
export const refusedBy = (fields: IncomingHttpHeaders, path = ''): Refused => ({
  track: trackOf(fields),
  path,
  suffix: suffixOf(path),
  accept: fields.accept,
  acceptLanguage: fields['accept-language'],
  origin: fields.origin,
})
