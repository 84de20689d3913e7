import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openApp } from '#src/app.ts'
import { readConfig } from '#src/config.ts'
import { audience, startIssuer } from './issuer.ts'

test('when PUBLIC_URL changes, metadata, challenges and explanations name the new one', async (t) => {
  const issuer = await startIssuer(t)
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-'))
  const settings = {
    PORT: '0',
    MANAGEMENT_PORT: 'off',
    DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
    ACCESS: 'oauth',
    OAUTH_ISSUER: issuer.url,
    OAUTH_AUDIENCE: audience,
  }
  const config = (url: string) => readConfig({ ...settings, PUBLIC_URL: url })
  const app = await openApp(config('https://old.example'), { logSink: { write: () => undefined } })
  t.after(async () => {
    await app.close()
    await rm(folder, { recursive: true })
  })
  await app.reload(config('https://new.example'))

  const metadata = await fetch(`${app.url}/.well-known/oauth-protected-resource/api/v1`)
  assert.equal(((await metadata.json()) as { resource: string }).resource, 'https://new.example/api/v1')
  const refused = await fetch(`${app.url}/api/v1/todos`, { headers: { accept: 'application/problem+json' } })
  assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata="https:\/\/new\.example\//)
  assert.match(((await refused.json()) as { type: string }).type, /^https:\/\/new\.example\/docs\/errors\//)
})
