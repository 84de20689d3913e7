import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document, type Node, resolve } from '../conform/document.ts'
import { startApp } from '../harness.ts'

interface Operation {
  readonly responses: object
  readonly parameters?: readonly Node[]
}

const operationAt = (path: string, method: string) => document.paths[path]?.[method] as Operation

const headersOf = (path: string, method: string) =>
  (operationAt(path, method).parameters ?? [])
    .map(resolve)
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => name)

const dates = ['If-Modified-Since', 'If-Unmodified-Since']
const documentedDates = (path: string, method: string) =>
  headersOf(path, method).filter((name) => dates.includes(String(name)))

test('conditions on dates are documented only for items that have Last-Modified', () => {
  for (const method of ['get', 'put', 'patch', 'delete'])
    assert.deepEqual(documentedDates('/todos/{todoId}', method), [], method)
  assert.deepEqual(documentedDates('/members/{memberId}', 'get'), dates)
  for (const method of ['put', 'patch', 'delete'])
    assert.deepEqual(documentedDates('/members/{memberId}', method), ['If-Unmodified-Since'], method)
  assert.deepEqual(documentedDates('/members/{memberId}/credential', 'put'), ['If-Unmodified-Since'])
})

test('a read of the document is refused if If-Match names another version', async (t) => {
  const api = await startApp(t)
  const path = '/openapi.json'
  for (const method of ['GET', 'HEAD']) {
    const read = async (ifMatch: string, fields: Record<string, string> = {}) =>
      (await api(`${method} ${path}`, undefined, { 'If-Match': ifMatch, ...fields })).status
    const tagIn = async (coding: string) =>
      String((await api(`${method} ${path}`, undefined, { 'Accept-Encoding': coding })).headers.etag)
    const plain = await tagIn('identity')
    const coded = await tagIn('br')
    assert.notEqual(plain, coded)
    const proxied = plain.replace(/"$/, '-gzip"')
    for (const current of [plain, coded, proxied, `"zz", ${plain}`, '*'])
      assert.equal(await read(current), 200, `${method} ${path} ${current}`)
    const longer = plain.replace(/"$/, 'x"')
    for (const other of ['"zz"', 'zz', `W/${plain}`, longer, `${plain}x`])
      assert.equal(await read(other), 412, `${method} ${path} ${other}`)
    assert.equal(await read('"zz"', { 'If-None-Match': plain }), 412, 'If-Match comes first')
    const known = { 'If-None-Match': plain, 'Accept-Encoding': 'identity' }
    assert.equal(await read(plain, known), 304)
  }
})

test('reads of the document itself are documented with their conditions', () => {
  const path = '/openapi.json'
  const headers = headersOf(path, 'get')
  assert.ok(headers.includes('If-None-Match') && headers.includes('If-Match'), path)
  assert.ok('412' in operationAt(path, 'get').responses, path)
})
