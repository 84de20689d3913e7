import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pace, refusalTurns } from './pace.ts'

test('a thousand refusals go out at once, the others at 10,000 per second', () => {
  const heldMs = refusalTurns()
  const heldAt = (nowMs: number, count: number) => Array.from({ length: count }, () => heldMs(nowMs))
  assert.ok(heldAt(0, 999).every((ms) => ms === 0))
  assert.equal(Math.round(heldAt(0, 2_001).at(-1) ?? 0), 200)
  assert.equal(Math.round(heldAt(100, 1)[0] ?? 0), 100)
  assert.ok(heldAt(1_000, 999).every((ms) => ms === 0))
})

test('only a refusal that must wait is held', async (t) => {
  t.mock.method(performance, 'now', () => 1_000)
  const [first, ...later] = Array.from({ length: 1_010 }, pace)
  assert.equal(first, undefined)
  assert.ok(later.at(-1) instanceof Promise)
  await later.at(-1)
})

test('no refusal is held longer than a second', () => {
  const heldMs = refusalTurns()
  assert.equal(Math.max(...Array.from({ length: 20_000 }, () => heldMs(0))), 1_000)
})
