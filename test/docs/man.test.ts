import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { manualPage } from '../../scripts/man.ts'

const noGroff = spawnSync('groff', ['--version']).error !== undefined

test('the manual page names every command, flag and exit code, and man can show it', async () => {
  const page = await manualPage()
  for (const text of [
    'rollcall serve',
    'rollcall webhook replay',
    '\\-\\-database\\-url',
    '143',
    'import members',
  ])
    assert.ok(page.includes(text), text)
  if (noGroff) return
  const { stdout, stderr } = spawnSync('groff', ['-man', '-Kutf8', '-Tutf8', '-ww'], {
    input: page,
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  assert.ok(stdout.includes('Ctrl-C or SIGTERM'))
})
