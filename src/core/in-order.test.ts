import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder } from './in-order.ts'
import { endOfTurn } from './turn.ts'

const steps = () => {
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await endOfTurn()
    seen.push(`${name} ends`)
    return name
  }
  return { seen, work }
}

test('work with one key runs one after another, in the order in which it came', async () => {
  const { seen, work } = steps()
  const run = inOrder()
  const results = await Promise.all(['a', 'b', 'c'].map((name) => run('key', work(name))))
  assert.deepEqual(results, ['a', 'b', 'c'])
  assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('work with another key does not wait', async () => {
  const { seen, work } = steps()
  const run = inOrder()
  await Promise.all([run('one', work('a')), run('another', work('b'))])
  assert.deepEqual(seen, ['a begins', 'b begins', 'a ends', 'b ends'])
})

test('work that fails is reported to its caller alone, and the next one runs', async () => {
  const { work } = steps()
  const run = inOrder()
  const failing = run('key', () => Promise.reject(new Error('no')))
  const next = run('key', work('b'))
  await assert.rejects(failing, /^Error: no$/)
  assert.equal(await next, 'b')
})
