import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonLine, table } from '#src/cli/output.ts'
import { withoutPassword } from '#src/cli/secrets.ts'

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

test('nor does anything in a line of JSON, which a program reads as it was', () => {
  const todo = { todoTitle: 'a\u009b2Jb\u202ec\u001b[31m\u2028d\r\ne \u007f "買い物" \\' }
  const line = jsonLine(todo)
  assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  assert.deepEqual(JSON.parse(line), todo)
})

test('a database URL is shown without its password, whatever that holds', () => {
  assert.equal(withoutPassword('postgres://u:a@b/c:d@h/db'), 'postgres://u:***@h/db')
  assert.equal(withoutPassword('postgres://u@h/db?password=a&x=1'), 'postgres://u@h/db?password=***&x=1')
})
