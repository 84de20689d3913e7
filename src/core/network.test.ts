import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

test('an IPv4 address is its own network, also when mapped into IPv6', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7')
})

test('IPv6 addresses in one /64 belong to one network', () => {
  const same = [
    '2001:db8:1:2::1',
    '2001:db8:1:2:ffff:ffff:ffff:ffff',
    '2001:0DB8:0001:0002::',
    '2001:db8:1:2::1%eth0',
  ]
  for (const address of same) assert.equal(networkOf(address), '2001:db8:1:2::/64')
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('2001:db8:1::'), '2001:db8:1:0::/64')
  assert.equal(networkOf('2001:db8::3:4:5:6:7'), '2001:db8:0:3::/64')
  assert.notEqual(networkOf('2001:db8:1:3::1'), networkOf('2001:db8:1:2::1'))
})

test('addresses with different ports belong to one network', () => {
  for (const port of ['1', '443', '65535']) assert.equal(networkOf(`192.0.2.7:${port}`), '192.0.2.7')
  for (const written of ['[2001:db8:1:2::1]', '[2001:db8:1:2::1]:443', '[2001:db8:1:2::2]:8443'])
    assert.equal(networkOf(written), '2001:db8:1:2::/64')
})

test('all texts that are not addresses count as one network', () => {
  const malformed = [
    '',
    'unknown',
    '_hidden',
    '192.0.2',
    '192.000.002.007',
    '"192.0.2.7"',
    '1.2.3.4.5:6',
    '[::1',
    'x:80',
  ]
  for (const written of malformed) assert.equal(networkOf(written), networkOf('unknown'), written)
  assert.notEqual(networkOf('unknown'), networkOf('192.0.2.7'))
})
