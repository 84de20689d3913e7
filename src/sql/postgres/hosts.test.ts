import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostsOf } from './hosts.ts'

const addresses: [string, [string, number][]][] = [
  ['postgres://localhost/rollcall', [['localhost', 5432]]],
  ['postgres://me:secret@db.example:6432/rollcall?sslmode=require', [['db.example', 6432]]],
  [
    'postgresql://me:p%40ss@one,two:5433/rollcall',
    [
      ['one', 5432],
      ['two', 5433],
    ],
  ],
  [
    'postgres://me@[::1]:5433,[fe80::1]/rollcall',
    [
      ['::1', 5433],
      ['fe80::1', 5432],
    ],
  ],
  ['postgres:///rollcall', [['localhost', 5432]]],
]

for (const [url, hosts] of addresses) {
  test(`the hosts and ports of ${url}`, () => {
    assert.deepEqual(
      hostsOf(url).map(({ host, port }) => [host, port]),
      hosts,
    )
  })
}
