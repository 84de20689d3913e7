import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table } from '#src/cli/output.ts'

test('nothing in a table moves the cursor or turns the order of what follows', () => {
  const lines = table(
    ['id', 'title'],
    [
      ['1', 'a\u009b2Jb\u202ec\u001b[31m\u2028d\r\ne'],
      ['2', '買い物 👩‍👧 é'],
    ],
  ).split('\n')
  assert.deepEqual(lines, [
    'ID  TITLE',
    '1   a\\u009b2Jb\\u202ec\\u001b[31m\\u2028d\\u000d\\u000ae',
    '2   買い物 👩‍👧 é',
  ])
})
