import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#src/config.ts'

const elsewhere = ['0.0.0.0', '::', '192.0.2.1', 'example.com', '127.0.0.1.example.com', 'localhost.example']

test('open access beyond the loopback must be set explicitly', () => {
  for (const HOST of elsewhere) {
    assert.throws(() => readConfig({ HOST }), /^SettingError: HOST .* is not loopback/, HOST)
    assert.equal(readConfig({ HOST, ACCESS: 'open' }).ACCESS, 'open')
    assert.equal(readConfig({ HOST, ACCESS: 'basic' }).ACCESS, 'basic')
  }
  for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
    assert.equal(readConfig({ HOST }).HOST, HOST)
})

test('open access on a management host beyond the loopback must be explicit, unless it is off', () => {
  for (const MANAGEMENT_HOST of elsewhere) {
    const implicit = { MANAGEMENT_HOST }
    assert.throws(() => readConfig(implicit), /MANAGEMENT_HOST .* is not loopback/, MANAGEMENT_HOST)
    assert.equal(readConfig({ ...implicit, MANAGEMENT_PORT: 'off' }).ACCESS, 'open')
    assert.equal(readConfig({ ...implicit, ACCESS: 'open' }).ACCESS, 'open')
    assert.equal(readConfig({ ...implicit, ACCESS: 'basic' }).ACCESS, 'basic')
  }
})
