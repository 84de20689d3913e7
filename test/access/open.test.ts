import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#src/config.ts'

const elsewhere = ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.example.com', 'localhost.example']

test('open access beyond the loopback must be set explicitly, also for the management listener unless it is off', () => {
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
