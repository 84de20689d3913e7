import assert from 'node:assert/strict'
import { test } from 'node:test'
import { document, type Node, resolve } from '../conform/document.ts'

interface Operation {
  readonly parameters?: readonly Node[]
}

const headersOf = (path: string, method: string) => {
  const operation = document.paths[path]?.[method] as Operation
  return (operation.parameters ?? [])
    .map(resolve)
    .filter((parameter) => parameter.in === 'header')
    .map(({ name }) => name)
}

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
