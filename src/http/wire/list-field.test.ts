import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitList } from './list-field.ts'

test('a list is split at its commas, except those within quotes', () => {
  assert.deepEqual(splitList('a, b,,c'), ['a', ' b', '', 'c'])
  assert.deepEqual(splitList('"a,b", c="d,\\",e";f,g'), ['"a,b"', ' c="d,\\",e";f', 'g'])
  assert.deepEqual(splitList('a,"b,c'), ['a', '"b,c'])
})

test('only the first 64 elements are read, with quotes or without', () => {
  for (const element of ['a', '"a"']) {
    const elements = splitList(Array(100).fill(element).join())
    assert.deepEqual(elements, Array(64).fill(element))
  }
})
