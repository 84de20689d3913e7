import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expectErrorShape, expectHeaders, isObject } from '../../test/scenarios/table.ts'
import { readXml } from '../../test/scenarios/xml.ts'
import type { Access } from './access.ts'
import type { FramedResponse } from './connection.ts'
import { secret } from './materials.ts'
import type { FuzzRequest } from './requests.ts'

/** Throws if a response lacks a property that every response has. */
export const judge = (request: FuzzRequest, answer: FramedResponse, access: Access): void => {
  const { status, headers } = answer
  const excerpt = answer.body.toString().slice(0, 300)
  assert.ok((status >= 200 && status < 500) || isOverload(request, answer), `status ${status}: ${excerpt}`)
  expectHeaders(headers, {
    'x-track': /^[A-Za-z0-9._-]{1,64}$/,
    'x-content-type-options': 'nosniff',
    server: false,
  })
  judgeAccess(request, answer, access)
  if (request.method === 'HEAD') return
  const text = decoded(answer)
  assert.ok(!text.includes(secret), 'the response contains a password')
  for (const one of access.secrets) assert.ok(!text.includes(one), 'the response contains a credential')
  if (isWelcome(request, answer)) return
  if (status === 401) assert.ok(text.includes('e.xx.fw.4001'), text)
  if (status === 403) assert.ok(text.includes('e.xx.fw.4003'), text)
  if (status === 405) assert.ok(headers.allow, 'Allow')
  if (status === 415)
    assert.ok(headers.accept ?? headers['accept-patch'] ?? headers['accept-encoding'], 'Accept…')
  if (status === 201) assert.ok(headers.location, 'Location')
  if (request.caller.standing === 'member' && request.route.startsWith('/members') && status < 300)
    assert.ok(!text.includes('dateOfBirth'), 'a member sees a reduced view of others')
  if (text === '') assert.ok(status < 400, `an error ${status} without a body`)
  else judgeText(status, headers['content-type'] ?? '', text)
}

/** Overload is the only legitimate reason for a 5xx. */
const isOverload = ({ method }: FuzzRequest, { status, headers, body }: FramedResponse): boolean =>
  status === 503 &&
  headers['retry-after'] !== undefined &&
  (method === 'HEAD' || body.includes('e.xx.fw.9004'))

/** A browser that is lost outside the API is told in HTML what this is. */
const isWelcome = ({ target }: FuzzRequest, { status, headers }: FramedResponse): boolean =>
  status === 403 && !target.startsWith('/api/v1/') && headers['content-type'] === 'text/html; charset=utf-8'

/** Public: clients need it before they have a token. */
const metadata = '/.well-known/oauth-protected-resource'

/** Callers without access get an error, and callers with access are not refused for lack of it. */
const judgeAccess = (request: FuzzRequest, { status, headers }: FramedResponse, access: Access): void => {
  const { method, target, route, isBroken, caller } = request
  const challenge = headers['www-authenticate']
  if (status === 401) assert.match(challenge ?? '(absent)', access.challenge ?? /^nobody is asked$/)
  else if (challenge !== undefined)
    assert.match(
      challenge,
      /^Bearer realm="rollcall", .*error="insufficient_scope"/,
      `challenge of ${status}`,
    )
  if (status === 429) assert.match(headers['retry-after'] ?? '(absent)', /^[1-9]\d*$/)
  const isPublic = method === 'OPTIONS' || target === metadata
  if (caller.standing === 'none' && !isPublic)
    assert.ok(status >= 400, `a caller without access got ${status}`)
  if (isBroken || route === 'odd paths') return
  if (caller.standing === 'full')
    assert.ok(status !== 401 && status !== 403, `a caller with full access got ${status}`)
  if (['some', 'member'].includes(caller.standing)) assert.notEqual(status, 401, 'a known caller got 401')
}

const judgeText = (status: number, type: string, text: string): void => {
  if (type.startsWith('application/xml')) {
    assert.equal(readXml(text).name === 'error', status >= 400, text.slice(0, 200))
    return
  }
  assert.match(type, /^application\/(problem\+)?json/)
  const value: unknown = JSON.parse(text)
  if (status < 400) return
  if (type.startsWith('application/problem+json')) assert.ok(isObject(value) && value.status === status, text)
  else expectErrorShape(value)
}

const decoded = ({ headers, body }: FramedResponse): string => {
  const coding = headers['content-encoding']
  const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body
  return new TextDecoder('utf-8', { fatal: true }).decode(plain)
}
