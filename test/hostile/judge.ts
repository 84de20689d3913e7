import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expectErrorShape, expectHeaders, isObject } from '../scenarios/table.ts'
import { readXml } from '../scenarios/xml.ts'
import type { Framed } from './connection.ts'
import { secret } from './materials.ts'
import type { FuzzRequest } from './requests.ts'

/** Throws when an answer is not what every answer is, whatever was asked. */
export const judge = (request: FuzzRequest, answer: Framed): void => {
  const { status, headers } = answer
  assert.ok(status >= 200 && status < 500, `status ${status}: ${answer.body.toString().slice(0, 300)}`)
  expectHeaders(headers, {
    'x-track': /^[A-Za-z0-9._-]{1,64}$/,
    'x-content-type-options': 'nosniff',
    server: false,
  })
  if (request.method === 'HEAD') return
  const text = decoded(answer)
  assert.ok(!text.includes(secret), 'a password came back')
  if (status === 405) assert.ok(headers.allow, 'Allow')
  if (status === 415)
    assert.ok(headers.accept ?? headers['accept-patch'] ?? headers['accept-encoding'], 'Accept…')
  if (status === 201) assert.ok(headers.location, 'Location')
  if (text === '') assert.ok(status < 400, `an error ${status} without a body`)
  else judgeText(status, headers['content-type'] ?? '', text)
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

const decoded = ({ headers, body }: Framed): string => {
  const coding = headers['content-encoding']
  const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body
  return new TextDecoder('utf-8', { fatal: true }).decode(plain)
}
