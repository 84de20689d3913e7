import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { faults } from '#lab/faults/faults.ts'
import { plantingOption, wrappedExports } from './planting.ts'
import { plants } from './plants.ts'

for (const { name, places, finder } of plants)
  test(`the source has the functions that the planted mistake "${name}" changes, and a fault exists that must find it`, async () => {
    for (const { file } of places)
      assert.ok(wrappedExports(file, name, await import(`../../src/${file}`).catch(() => ({}))))
    assert.ok(
      faults.some((fault) => fault.name === finder),
      finder,
    )
  })

test('if the source lacks the function that a planted mistake changes, the error says what to do', () => {
  assert.throws(
    () => wrappedExports('sql/sqlite/wal.ts', 'answer before the sync', {}),
    /src\/sql\/sqlite\/wal\.ts exports no function wal any more\. In lab\/planted\/plants\.ts, make the same mistake where/,
  )
})

test('only the process that is started with a planted mistake has the mistake', () => {
  const program = `
    const { idempotency } = await import(${JSON.stringify(new URL('../../src/http/api/idempotency.ts', import.meta.url))})
    const { answer } = idempotency({ find: async () => ({ fingerprint: '', answer: 'kept' }) }, Buffer.from('secret'))
    const exchange = { method: 'POST', target: { path: '/', query: '' }, headers: {}, head: { headers: {}, rawHeaders: [] } }
    console.log(await answer({ exchange, body: Buffer.alloc(0) }, async () => 'done anew').catch((error) => error.name))`
  const outputWith = (...options: readonly string[]) =>
    execFileSync(process.execPath, [...options, '--input-type=module', '-e', program], {
      encoding: 'utf8',
    }).trim()
  assert.equal(outputWith(...plantingOption('repeat without a key').split(' ')), 'done anew')
  assert.notEqual(outputWith(), 'done anew')
})
