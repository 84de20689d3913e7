import assert from 'node:assert/strict'
import test from 'node:test'
import { check } from './checker.ts'
import { written } from './written.ts'

interface Case {
  readonly name: string
  /** What must be found; none where the history is good. */
  readonly finds?: string
  readonly history: string
}

const cases: readonly Case[] = [
  {
    name: 'what was written is read',
    history: `
      0 0-1 create k a/0
      0 2-3 read k = a/0
      0 4-5 list k = a/0`,
  },
  {
    name: 'a write under way may be read already',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = b/0`,
  },
  {
    name: 'a write under way may be not yet read',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = a/0`,
  },
  {
    name: 'a write of unknown fate may come late',
    history: `
      0 0-1 create k a/0
      0 2-? write k b/0
      1 3-4 read k = a/0
      1 5-6 read k = b/0`,
  },
  {
    name: 'a write of unknown fate may never come',
    history: `
      0 0-1 create k a/0
      0 2-? write k b/0
      1 3-4 read k = a/0
      0 5-6 list k = a/0`,
  },
  {
    name: 'of two who insist on one value one is refused',
    history: `
      0 0-1 create k a/0
      0 2-5 cas k a/0>b/0
      1 2-5 cas k a/0>c/0 ! changed
      0 6-7 read k = b/0`,
  },
  {
    name: 'a deletion is seen, and later writes find nothing',
    history: `
      0 0-1 create k a/0
      0 2-3 delete k
      1 4-5 read k = nothing
      1 6-7 write k b/0 ! absent
      0 8-9 list`,
  },
  {
    name: 'one who insists on a value may be refused because nothing is there',
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
    name: 'a create of unknown fate may be in the list once',
    history: `
      0 0-? create - a/0
      1 5-6 list k = a/0`,
  },
  {
    name: 'a sign id is free when its member has left',
    history: `
      0 0-1 join m1 john
      0 2-3 leave m1
      1 4-5 join m2 JOHN
      1 6-7 roster m2 = JOHN`,
  },
  {
    name: 'a join under way while the holder leaves may come after it',
    history: `
      1 0-9 join m2 john
      0 1-2 join m1 john
      0 3-4 leave m1`,
  },
  {
    name: 'a sign id may be refused for a join of unknown fate',
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
    name: 'what was deleted is back',
    finds: 'lost',
    history: `
      0 0-1 create k a/0
      0 2-3 delete k
      1 5-6 list k = a/0`,
  },
  {
    name: 'a repeated request made a second record',
    finds: 'doubled',
    history: `
      0 0-1 create k a/0
      1 5-6 list k = a/0
      2 5-6 list k2 = a/0`,
  },
  {
    name: 'a repeated request of unknown fate made two records',
    finds: 'doubled',
    history: `
      0 0-? create - a/0
      1 5-6 list k = a/0
      2 5-6 list k2 = a/0`,
  },
  {
    name: 'a key of idempotency is answered with another record',
    finds: 'doubled',
    history: `
      0 0-1 create k a/0
      0 2-3 repeat k2 a/0`,
  },
  {
    name: 'two who insist on one value are both told yes',
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
    name: 'a process does not read what another finished writing',
    finds: 'stale',
    history: `
      0 0-1 create k a/0
      0 2-3 write k b/0
      1 4-5 read k = a/0`,
  },
  {
    name: 'a finished record is read open',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-3 finish k = a/1
      1 4-5 read k = a/0`,
  },
  {
    name: 'a new value is read, then the old one',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-9 write k b/0
      1 3-4 read k = b/0
      2 5-6 read k = a/0`,
  },
  {
    name: 'a value nobody wrote is read',
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
    name: 'one is refused for a change that nobody made',
    finds: 'not linearizable',
    history: `
      0 0-1 create k a/0
      0 2-5 cas k a/0>b/0 ! changed`,
  },
  {
    name: 'two hold one sign id',
    finds: 'sign id',
    history: `
      0 0-1 join m1 john
      1 0-1 join m2 John`,
  },
  {
    name: 'the roster has a sign id twice',
    finds: 'sign id',
    history: `
      0 0-1 roster m1 = john
      1 0-1 roster m2 = John`,
  },
  {
    name: 'the sign id of a member that left is refused',
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
