import assert from 'node:assert/strict'
import test from 'node:test'
import { check } from './checker.ts'
import { parseHistory } from './parse-history.ts'

/** Histories that a correct service could have. */
const good: readonly (readonly [name: string, history: string])[] = [
  ['a written value is read back', '0 0-1 create k a/0; 0 2-3 read k = a/0; 0 4-5 list k = a/0'],
  ['a pending write may already be visible', '0 0-1 create k a/0; 0 2-9 write k b/0; 1 3-4 read k = b/0'],
  ['a pending write may not be visible yet', '0 0-1 create k a/0; 0 2-9 write k b/0; 1 3-4 read k = a/0'],
  [
    'a write with an unknown outcome may take effect late',
    '0 0-1 create k a/0; 0 2-? write k b/0; 1 3-4 read k = a/0; 1 5-6 read k = b/0',
  ],
  [
    'a write with an unknown outcome may never take effect',
    '0 0-1 create k a/0; 0 2-? write k b/0; 1 3-4 read k = a/0; 0 5-6 list k = a/0',
  ],
  [
    'of two concurrent compare-and-sets on one value, one is refused',
    '0 0-1 create k a/0; 0 2-5 cas k a/0>b/0; 1 2-5 cas k a/0>c/0 ! changed; 0 6-7 read k = b/0',
  ],
  [
    'after a delete, a read finds nothing and a write is refused',
    '0 0-1 create k a/0; 0 2-3 delete k; 1 4-5 read k = nothing; 1 6-7 write k b/0 ! absent; 0 8-9 list',
  ],
  [
    'a compare-and-set concurrent with a delete may be refused',
    '0 0-1 create k a/0; 0 2-5 delete k; 1 2-5 cas k a/0>c/0 ! changed; 0 6-7 read k = nothing',
  ],
  [
    'finishing keeps the title',
    '0 0-1 create k a/0; 0 2-3 finish k = a/1; 1 4-5 read k = a/1; 0 6-7 cas k a/1>b/0; 0 8-9 read k = b/0',
  ],
  ['a create with an unknown outcome may be listed once', '0 0-? create - a/0; 1 5-6 list k = a/0'],
  [
    'a sign id is free once its member has left',
    '0 0-1 join m1 john; 0 2-3 leave m1; 1 4-5 join m2 JOHN; 1 6-7 roster m2 = JOHN',
  ],
  [
    'a join pending while the holder leaves may take effect afterwards',
    '1 0-9 join m2 john; 0 1-2 join m1 john; 0 3-4 leave m1',
  ],
  [
    'a sign id may be refused after a join with an unknown outcome',
    '0 0-? join - john; 1 2-3 join - john ! in use',
  ],
]

/** Histories that no correct service could have, and the check that must report them. */
const bad: readonly (readonly [name: string, finds: string, history: string])[] = [
  ['an acknowledged create is lost', 'lost', '0 0-1 create k a/0; 1 5-6 list'],
  [
    'an acknowledged write is lost',
    'not linearizable',
    '0 0-1 create k a/0; 0 2-3 write k b/0; 1 5-6 list k = a/0',
  ],
  ['a deleted record reappears', 'lost', '0 0-1 create k a/0; 0 2-3 delete k; 1 5-6 list k = a/0'],
  [
    'a repeated request creates a second record',
    'doubled',
    '0 0-1 create k a/0; 1 5-6 list k = a/0; 2 5-6 list k2 = a/0',
  ],
  [
    'a repeated request with an unknown outcome creates two records',
    'doubled',
    '0 0-? create - a/0; 1 5-6 list k = a/0; 2 5-6 list k2 = a/0',
  ],
  [
    'an idempotency key is answered with another record',
    'doubled',
    '0 0-1 create k a/0; 0 2-3 repeat k2 a/0',
  ],
  [
    'two compare-and-sets on one value both succeed',
    'lost update',
    '0 0-1 create k a/0; 0 2-5 cas k a/0>b/0; 1 2-5 cas k a/0>c/0',
  ],
  [
    'a process does not read its own write',
    'stale',
    '0 0-1 create k a/0; 0 2-3 write k b/0; 0 4-5 read k = a/0',
  ],
  [
    'a process does not read the completed write of another',
    'stale',
    '0 0-1 create k a/0; 0 2-3 write k b/0; 1 4-5 read k = a/0',
  ],
  [
    'a finished record is read as unfinished',
    'not linearizable',
    '0 0-1 create k a/0; 0 2-3 finish k = a/1; 1 4-5 read k = a/0',
  ],
  [
    'an old value is read after the new one',
    'not linearizable',
    '0 0-1 create k a/0; 0 2-9 write k b/0; 1 3-4 read k = b/0; 2 5-6 read k = a/0',
  ],
  ['a value that was never written is read', 'not linearizable', '0 0-1 create k a/0; 1 3-4 read k = z/0'],
  [
    'a record is read after its deletion',
    'not linearizable',
    '0 0-1 create k a/0; 0 2-3 delete k; 1 4-5 read k = a/0',
  ],
  [
    'a record is not found before its deletion',
    'not linearizable',
    '0 0-1 create k a/0; 1 2-3 read k = nothing; 0 4-5 delete k',
  ],
  [
    'a compare-and-set is refused although nobody changed the value',
    'not linearizable',
    '0 0-1 create k a/0; 0 2-5 cas k a/0>b/0 ! changed',
  ],
  ['two members hold one sign id', 'sign id', '0 0-1 join m1 john; 1 0-1 join m2 John'],
  ['the list of members has a sign id twice', 'sign id', '0 0-1 roster m1 = john; 1 0-1 roster m2 = John'],
  [
    'the sign id of a member that has left is refused',
    'orphan',
    '0 0-1 join m1 john; 0 2-3 leave m1; 0 4-5 join - john ! in use',
  ],
  ['a credential is left without its member', 'orphan', '0 0-1 audit = 1'],
  [
    'an acknowledged member is lost',
    'lost',
    '0 0-1 join m1 john; 0 2-3 join m2 mary; 0 4-5 roster m2 = mary',
  ],
]

for (const [name, history] of good)
  test(`accepted history: ${name}`, () => assert.deepEqual(check(parseHistory(history)).findings, []))

for (const [name, finds, history] of bad)
  test(`refused history: ${name}`, () => {
    const found = check(parseHistory(history)).findings.map((finding) => finding.check)
    assert.ok(found.includes(finds), `found ${found.join(', ') || 'nothing'}`)
  })
