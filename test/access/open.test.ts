import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, SettingError } from '#src/config.ts'

test('open access elsewhere than on the loopback must be said', () => {
  for (const HOST of [
    '0.0.0.0',
    '::',
    '192.0.2.1',
    'example.com',
    '127.0.0.1.example.com',
    'localhost.example',
  ]) {
    assert.throws(() => readConfig({ HOST }), SettingError, HOST)
    assert.equal(readConfig({ HOST, ACCESS: 'open' }).ACCESS, 'open')
    assert.equal(readConfig({ HOST, ACCESS: 'basic' }).ACCESS, 'basic')
  }
  for (const HOST of ['localhost', '127.0.0.1', '127.1.2.3', '::1'])
    assert.equal(readConfig({ HOST }).HOST, HOST)
})
