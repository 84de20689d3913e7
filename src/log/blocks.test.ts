import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logBlocks } from './blocks.ts'

const textOf = (bytes: Buffer, sizeBytes: number) => bytes.toString('utf8', 0, sizeBytes)

test('lines come out whole, in order and counted, however long they are', () => {
  const blocks = logBlocks()
  const texts = ['a', 'é', '語', '🧾'].flatMap((letter) =>
    [100, 30_000, 100_000].map((n) => letter.repeat(n)),
  )
  for (const text of texts) blocks.add(text, 2)
  assert.equal(blocks.sizeBytes, Buffer.byteLength(texts.join('')))
  const taken = blocks.take()
  assert.equal(taken.map(({ bytes, sizeBytes }) => textOf(bytes, sizeBytes)).join(''), texts.join(''))
  assert.equal(
    taken.reduce((sum, { lines }) => sum + lines, 0),
    texts.length * 2,
  )
  assert.equal(blocks.sizeBytes, Buffer.byteLength(texts.join('')), 'blocks count until they are given back')
  for (const block of taken) blocks.release(block)
  assert.equal(blocks.sizeBytes, 0)
})

test('a written block is reused, and one still being written is not', () => {
  const blocks = logBlocks()
  const used = new Set<Buffer>()
  for (let round = 0; round < 100; round++) {
    blocks.add(`${round}`, 1)
    const [block] = blocks.take()
    assert.ok(block)
    blocks.add('later', 1)
    assert.equal(textOf(block.bytes, block.sizeBytes), String(round))
    used.add(block.bytes)
    blocks.release(block)
    for (const later of blocks.take()) blocks.release(later)
  }
  assert.ok(used.size <= 3, `${used.size} blocks`)
})
