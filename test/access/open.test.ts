import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, readEmbedded } from '#src/config.ts'

const elsewhere = ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.example.com', 'localhost.example']

test('open access beyond the loopback must be set explicitly, for either listener', () => {
  for (const name of ['HOST', 'MANAGEMENT_HOST'])
    for (const host of elsewhere) {
      const refused = new RegExp(`^SettingError: ${name} .* is not loopback`)
      assert.throws(() => readConfig({ [name]: host }), refused, host)
      for (const ACCESS of ['open', 'basic'])
        assert.equal(readConfig({ [name]: host, ACCESS }).ACCESS, ACCESS)
    }
  assert.equal(readConfig({ MANAGEMENT_HOST: '::', MANAGEMENT_PORT: 'off' }).ACCESS, 'open')
  for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
    assert.equal(readConfig({ HOST }).HOST, HOST)
})

test('if a setting suggests restricted access, open access must be set explicitly', () => {
  const administrator = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'correct horse' }
  const oauth = { OAUTH_ISSUER: 'https://issuer.example', OAUTH_AUDIENCE: 'rollcall' }
  for (const settings of [
    administrator,
    oauth,
    { OAUTH_JWKS_URL: 'https://issuer.example/keys' },
    { TRUST_PROXY: '127.0.0.1' },
    { PUBLIC_URL: 'https://rollcall.example' },
  ]) {
    const [name] = Object.keys(settings)
    const refused = new RegExp(
      `^SettingError: ${name} .*set ACCESS to basic or oauth, or to open if you mean it`,
    )
    assert.throws(() => readConfig(settings), refused)
    assert.throws(() => readEmbedded(settings, {}), refused)
    assert.equal(readConfig({ ...settings, ACCESS: 'open' }).ACCESS, 'open')
  }
  for (const ACCESS of ['basic', 'oauth'])
    assert.equal(readConfig({ ...administrator, ...oauth, ACCESS }).ACCESS, ACCESS)
  for (const PUBLIC_URL of ['http://localhost:8080', 'http://127.0.0.1/base', 'http://[::1]:8080'])
    assert.equal(readConfig({ PUBLIC_URL }).PUBLIC_URL, PUBLIC_URL)
})
