import assert from 'node:assert/strict'
import test from 'node:test'
import { check } from './checker.ts'
import { written } from './written.ts'

interface Case {
  readonly name: string
  /** The check that must report a finding; undefined if the history is good. */
  readonly finds?: string
  readonly history: string
}

const cases: readonly Case[] = [
  {
    name: 'a written value is read back',
    history: `
      0 0-1 create k a/0
      0 2-3 read k = a/0
      0 4-5 list k = a/0`,
  },
  {
    name: 'a pending write may already be visible',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = b/0`,
  },
  {
    name: 'a pending write may not be visible yet',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = a/0`,
  },
  {
    name: 'a write with an unknown outcome may take effect late',
    history: `
      0 0-1 create k a/0
      0 2-? write k b/0
      1 3-4 read k = a/0
      1 5-6 read k = b/0`,
  },
  {
    name: 'a write with an unknown outcome may never take effect',
    history: `
      0 0-1 create k a/0
      0 2-? write k b/0
      1 3-4 read k = a/0
      0 5-6 list k = a/0`,
  },
  {
    name: 'of two concurrent cas on one value, one is refused',
    history: `
      0 0-1 create k a/0
      0 2-5 cas k a/0>b/0
      1 2-5 cas k a/0>c/0 ! changed
      0 6-7 read k = b/0`,
  },
  {
    name: 'after a delete, a read finds nothing and a write is refused',
    history: `
      0 0-1 create k a/0
      0 2-3 delete k
      1 4-5 read k = nothing
      1 6-7 write k b/0 ! absent
      0 8-9 list`,
  },
  {
    name: 'a cas concurrent with a delete may be refused',
    history: `
      0 0-1 create k a/0
      0 2-5 delete k
      1 2-5 cas k a/0>c/0 ! changed
      0 6-7 read k = nothing`,
  },
  {
    name: 'finishing keeps the title',
    history: `
      0 0-1 create k a/0
      0 2-3 finish k = a/1
      1 4-5 read k = a/1
      0 6-7 cas k a/1>b/0
      0 8-9 read k = b/0`,
  },
  {
    name: 'a create with an unknown outcome may be listed once',
    history: `
      0 0-? create - a/0
      1 5-6 list k = a/0`,
  },
  {
    name: 'a sign id is free once its member has left',
    history: `
      0 0-1 join m1 john
      0 2-3 leave m1
      1 4-5 join m2 JOHN
      1 6-7 roster m2 = JOHN`,
  },
  {
    name: 'a join pending while the holder leaves may take effect afterwards',
    history: `
      1 0-9 join m2 john
      0 1-2 join m1 john
      0 3-4 leave m1`,
  },
  {
    name: 'a sign id may be refused after a join with an unknown outcome',
    history: `
      0 0-? join - john
      1 2-3 join - john ! in use`,
  },
  {
    name: 'an acknowledged create is lost',
    finds: 'lost',
    history: `
      0 0-1 create k a/0
      1 5-6 list`,
  },
  {
    name: 'an acknowledged write is lost',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-3 write k b/0
      1 5-6 list k = a/0`,
  },
  {
    name: 'a deleted record reappears',
    finds: 'lost',
    history: `
      0 0-1 create k a/0
      0 2-3 delete k
      1 5-6 list k = a/0`,
  },
  {
    name: 'a repeated request creates a second record',
    finds: 'doubled',
    history: `
      0 0-1 create k a/0
      1 5-6 list k = a/0
      2 5-6 list k2 = a/0`,
  },
  {
    name: 'a repeated request with an unknown outcome creates two records',
    finds: 'doubled',
    history: `
      0 0-? create - a/0
      1 5-6 list k = a/0
      2 5-6 list k2 = a/0`,
  },
  {
    name: 'an idempotency key is answered with another record',
    finds: 'doubled',
    history: `
      0 0-1 create k a/0
      0 2-3 repeat k2 a/0`,
  },
  {
    name: 'two cas on one value both succeed',
    finds: 'lost update',
    history: `
      0 0-1 create k a/0
      0 2-5 cas k a/0>b/0
      1 2-5 cas k a/0>c/0`,
  },
  {
    name: 'a process does not read its own write',
    finds: 'stale',
    history: `
      0 0-1 create k a/0
      0 2-3 write k b/0
      0 4-5 read k = a/0`,
  },
  {
    name: 'a process does not read the completed write of another',
    finds: 'stale',
    history: `
      0 0-1 create k a/0
      0 2-3 write k b/0
      1 4-5 read k = a/0`,
  },
  {
    name: 'a finished record is read as unfinished',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-3 finish k = a/1
      1 4-5 read k = a/0`,
  },
  {
    name: 'an old value is read after the new one',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = b/0
      2 5-6 read k = a/0`,
  },
  {
    name: 'a value that was never written is read',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      1 3-4 read k = z/0`,
  },
  {
    name: 'a record is read after its deletion',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-3 delete k
      1 4-5 read k = a/0`,
  },
  {
    name: 'a record is not found before its deletion',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      1 2-3 read k = nothing
      0 4-5 delete k`,
  },
  {
    name: 'a cas is refused although nobody changed the value',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-5 cas k a/0>b/0 ! changed`,
  },
  {
    name: 'two members hold one sign id',
    finds: 'sign id',
    history: `
      0 0-1 join m1 john
      1 0-1 join m2 John`,
  },
  {
    name: 'the roster lists a sign id twice',
    finds: 'sign id',
    history: `
      0 0-1 roster m1 = john
      1 0-1 roster m2 = John`,
  },
  {
    name: 'the sign id of a member that has left is refused',
    finds: 'orphan',
    history: `
      0 0-1 join m1 john
      0 2-3 leave m1
      0 4-5 join - john ! in use`,
  },
  {
    name: 'a credential is left without its member',
    finds: 'orphan',
    history: `
      0 0-1 audit = 1`,
  },
  {
    name: 'an acknowledged member is lost',
    finds: 'lost',
    history: `
      0 0-1 join m1 john
      0 2-3 join m2 mary
      0 4-5 roster m2 = mary`,
  },
]

for (const { name, finds, history } of cases)
  test(`${finds ? 'refused' : 'accepted'}: ${name}`, () => {
    const { findings } = check(written(history))
    if (!finds) return assert.deepEqual(findings, [])
    const found = findings.map((finding) => finding.check)
    assert.ok(found.includes(finds), `found ${found.join(', ') || 'nothing'}`)
  })
