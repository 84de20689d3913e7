import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { published, root } from './published.ts'

test('what is committed of the document is what the routes make of it today', async () => {
  for (const [path, text] of await published()) {
    const committed = await readFile(new URL(path, root), 'utf8')
    assert.ok(committed === text, `${path} is behind: run npm run openapi`)
  }
})
