import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { jsonLine, withoutPassword } from '#src/cli/output.ts'
import { progressBar } from '#src/cli/progress.ts'
import { printTable, table } from '#src/cli/table.ts'
import { childEnvironment, main } from '../program.ts'
import { alter, openFolder } from './folder.ts'

test('a table escapes control characters, line separators and bidirectional controls', () => {
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

test('a column of emoji, rare and combining characters has the width that a terminal shows', () => {
  const names = ['🎉', '𠮷', 'か\u3099', 'กั็', 'e\u0301\u0301', 'ab']
  const lines = table(
    ['name', 'note'],
    names.map((name) => [name, '-']),
  )
    .split('\n')
    .slice(1)
  assert.deepEqual(lines, [
    '🎉    -',
    '𠮷    -',
    'か\u3099    -',
    'กั็     -',
    'e\u0301\u0301     -',
    'ab    -',
  ])
})

test('a list of any length is printed batch by batch, with columns as wide as needed', async (t) => {
  const batches = async function* () {
    yield ['a', 'bbb']
    yield Array.from({ length: 200_000 }, () => 'c')
    yield ['dddd', 'e']
    yield []
  }
  const written = await printed(t, () => printTable(['id', 'title'], batches(), (text) => [text, '-']))
  assert.equal(written.length, 3)
  assert.equal(written[0], 'ID   TITLE\na    -\nbbb  -\n')
  assert.equal(written[2], 'dddd  -\ne     -\n')
})

/** What is written to standard output. */
const printed = async (t: TestContext, print: () => Promise<void>) => {
  const written: string[] = []
  t.mock.method(process.stdout, 'write', (text: string, done: () => void) => {
    written.push(text)
    done()
    return true
  })
  await print()
  t.mock.restoreAll()
  return written
}

const longRow = ['01a1fdc8-aaaa-7aaa-8aaa-aaaaaaaaaaaa', 'a'.repeat(256), '山'.repeat(30), 'short']

const printedAt = async (t: TestContext, columns: number | undefined) => {
  const { isTTY, columns: before } = process.stdout
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns })
  const batches = async function* () {
    yield [longRow]
  }
  const headings = ['id', 'name', 'title', 'note']
  const written = await printed(t, () => printTable(headings, batches(), (row) => row))
  Object.assign(process.stdout, { isTTY, columns: before })
  return written.join('').split('\n')
}

test('at a terminal, a list fits the width, and ids stay whole', async (t) => {
  assert.deepEqual(await printedAt(t, 80), [
    'ID                                    NAME              TITLE             NOTE',
    '01a1fdc8-aaaa-7aaa-8aaa-aaaaaaaaaaaa  aaaaaaaaaaaaaaa…  山山山山山山山…   short',
    '',
  ])
  const [, narrow] = await printedAt(t, 40)
  assert.equal(narrow, '01a1fdc8-aaaa-7aaa-8aaa-aaaaaaaaaaaa  aaaaaaa…  山山山…   short')
})

test('a list is not shortened in a pipe, in a wide terminal, or in one of unknown width', async (t) => {
  for (const columns of [undefined, 0, 400]) {
    const [, line] = await printedAt(t, columns)
    assert.equal(line, longRow.join('  '), String(columns))
  }
})

test('a progress bar fits the width of the terminal, and shows no rate at first', (t) => {
  const written: string[] = []
  const { isTTY, columns } = process.stderr
  t.after(() => Object.assign(process.stderr, { isTTY, columns }))
  t.mock.method(process.stderr, 'write', (text: string) => written.push(text))
  for (const width of [100, 30]) {
    Object.assign(process.stderr, { isTTY: true, columns: width })
    progressBar('read todos', 3_000).advance(3_000)
  }
  t.mock.restoreAll()
  const full = `read todos ${'█'.repeat(28)} 100 %  3,000 of 3,000`
  assert.deepEqual(
    written.map((text) => text.replace('\r\x1b[2K', '')),
    [full, full.slice(0, 29)],
  )
})

test('a line of JSON escapes the same characters, and parses to the original value', () => {
  const todo = { todoTitle: 'a\u009b2Jb\u202ec\u001b[31m\u2028d\r\ne \u007f "買い物" \\' }
  const line = jsonLine(todo)
  assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  assert.deepEqual(JSON.parse(line), todo)
})

test('a database URL is shown without its password, even one with a slash or colon', () => {
  assert.equal(withoutPassword('postgres://u:a@b/c:d@h/db'), 'postgres://u:***@h/db')
  for (const name of ['password', 'sslpassword'])
    assert.equal(withoutPassword(`postgres://u@h/db?${name}=a&x=1`), `postgres://u@h/db?${name}=***&x=1`)
})

test('verify escapes the control characters in its findings', async () => {
  const { folder, url, run, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  alter(join(folder, 'a.db'), "UPDATE todo SET todo_id = 'a' || char(27) || '[31m' || char(10) || 'b'")
  const { code, out } = await run(['verify'], url('a.db'))
  assert.equal(code, 3)
  assert.match(out, /^todo a\\u001b\[31m\\u000ab: its todo id is not valid$/m)
  assert.doesNotMatch(out, /[^\n\P{Cc}]/u)
})

test('a reader that closes the pipe early does not change the exit code of a command', async () => {
  const { folder, url, good } = openFolder()
  await good(['todo', 'add', 'a'], url('a.db'))
  alter(join(folder, 'a.db'), "UPDATE todo SET todo_title = 'b'")
  const environment = { ...childEnvironment, DATABASE_URL: url('a.db') }
  const codeOf = async (args: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: environment })
    child.stdout.destroy()
    const [code] = await once(child, 'close')
    return code
  }
  assert.equal(await codeOf(['todo', 'list']), 0)
  assert.equal(await codeOf(['verify']), 3)
})
