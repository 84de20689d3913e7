import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '#core/problem.ts'
import { assertGrowsSlowly } from '#test/growth.ts'
import { parseTarget } from './target.ts'

test('a target is read as path, query and optional authority; anything else is refused', () => {
  assert.deepEqual(parseTarget('/a/b?c=/d?'), { path: '/a/b', query: 'c=/d?', authority: undefined })
  assert.deepEqual(parseTarget('http://x:80/a?b'), { path: '/a', query: 'b', authority: 'x:80' })
  assert.deepEqual(parseTarget('HTTPS://x?b'), { path: '/', query: 'b', authority: 'x' })
  assert.deepEqual(parseTarget('http://x'), { path: '/', query: '', authority: 'x' })
  for (const target of ['', '*', 'a', 'ftp://x/', 'http://', 'http:///a', 'http://x/#', 'http://x#', '/a#'])
    assert.throws(() => parseTarget(target), Problem, target)
})

test('the time to refuse a target grows far more slowly than the square of its length', () => {
  for (const targetOf of [
    (size: number) => `http://${'a'.repeat(size)}/#`,
    (size: number) => `http://a/${'a'.repeat(size)}#`,
    (size: number) => `http://a?${'?'.repeat(size)}#`,
  ]) {
    assertGrowsSlowly(500, (size) => assert.throws(() => parseTarget(targetOf(size)), Problem))
  }
})
