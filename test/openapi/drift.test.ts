import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { published, root } from './published.ts'

test('the committed OpenAPI document and client types match the routes', async () => {
  for (const [path, text] of await published()) {
    const committed = await readFile(new URL(path, root), 'utf8')
    assert.ok(committed === text, `${path} is behind: run npm run openapi`)
  }
})
