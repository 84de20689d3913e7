import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readNewSecret } from '#src/cli/secret-input.ts'
import { main, surroundings } from '../program.ts'
import { lines, openFolder, recordsOf } from './folder.ts'
import { rollcall } from './warm.ts'

/** What is typed at a terminal that takes the place of standard input. */
const typed = (t: TestContext, text: string) => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true })
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  Object.defineProperty(process, 'stdin', { value: terminal, configurable: true })
  t.after(() => Object.defineProperty(process, 'stdin', own))
  t.mock.method(process.stderr, 'write', () => true)
  for (const line of text.split(/(?<=\n)/)) setImmediate(() => setImmediate(() => terminal.write(line)))
}

test('a new password is asked for twice at a terminal', async (t) => {
  typed(t, 'demodemo\ndemodemo\n')
  assert.equal(await readNewSecret('New password'), 'demodemo')
})

test('a new password that is typed in two ways is none', async (t) => {
  typed(t, 'demodemo\ndemodemi\n')
  await assert.rejects(readNewSecret('New password'), /The two passwords are not the same\./)
})

test('a secret on the command line is warned of, a setting without one is not', async () => {
  const flags = ['--admin-sign-id', 'a', '--admin-password', 'geheimgeheim', '--database-url']
  const { err } = await rollcall(['config', ...flags, 'postgres://u:pw@h/db'])
  assert.deepEqual(err.match(/^--\S+ has a secret/gm), [
    '--database-url has a secret',
    '--admin-password has a secret',
  ])
  assert.doesNotMatch(err, /geheim|pw/)
  const { err: none } = await rollcall(['config', '--database-url', 'postgres://u@h/db', '--port', '1'])
  assert.equal(none, '')
})

test('import reads standard input, resumes it, and takes no password from it', async () => {
  const { folder, url, good, read } = openFolder()
  const environment = { DATABASE_URL: url('a.db') }
  const importing = (input: string, ...args: readonly string[]) =>
    rollcall(['import', 'todos', '-', ...args], { cwd: folder, environment, input })
  const cut = await importing('todoTitle\na\n""\n"b', '--format', 'csv')
  assert.match(cut.err, /quote in line 4 is never closed\. Records written before: 1;/)
  const { out, err } = await importing('todoTitle\na\n""\nb\n', '--format', 'csv')
  assert.match(err, /^Resuming after line 3,/)
  assert.match(out, /^1 written, 1 already done .*, 1 refused; todos\.refused\.ndjson says why\.\n$/)
  assert.equal(JSON.parse(await read('todos.refused.ndjson')).line, 3)
  assert.equal(recordsOf(await good(['export', 'todos'], url('a.db'))).length, 2)
  assert.match((await importing('')).err, /Name the format of standard input with --format\./)
  const over = await importing('', '--format', 'csv', '--url', 'http://127.0.0.1:2', '--user', 'mary')
  assert.deepEqual([over.code, /give the password in ROLLCALL_PASSWORD/.test(over.err)], [2, true])
})

test('an import that is stopped by Ctrl-C ends by that signal, says how it is resumed, and then writes every record once and keeps what was refused before', async () => {
  const { folder, url, run, good, write, read } = openFolder()
  const todos = Array.from({ length: 20_000 }, (_, number) => ({ todoTitle: `todo ${number}` }))
  await write('todos.ndjson', lines([{ todoTitle: '' }, ...todos]))
  const env = { ...surroundings, DATABASE_URL: url('a.db') }
  const child = spawn(process.execPath, [main, 'import', 'todos', 'todos.ndjson'], { cwd: folder, env })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const log = join(folder, 'a.db-wal')
  while (child.exitCode === null && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) < 300_000)
    await sleep(5)
  child.kill('SIGINT')
  await once(child, 'close')
  assert.deepEqual(
    [child.signalCode, said],
    ['SIGINT', 'Interrupted. What is written stays. To resume, run it again.\n'],
  )
  const again = await run(['import', 'todos', 'todos.ndjson', '--json'], url('a.db'))
  const { written, refused, skipped } = JSON.parse(again.out)
  assert.deepEqual([again.code, refused, written + skipped], [1, 1, 20_000], again.err)
  assert.ok(skipped > 0 && written > 0, 'the import was not cut off half-way')
  assert.match(await read('todos.ndjson.refused.ndjson'), /^\{"line":1,.*\}\n$/)
  const titles = recordsOf(await good(['export', 'todos'], url('a.db'))).map(({ todoTitle }) => todoTitle)
  assert.deepEqual([titles.length, new Set(titles).size], [20_000, 20_000])
})

const completed: readonly (readonly [line: string, words: string])[] = [
  ['rollcall im', 'import'],
  ['rollcall import todos a.csv --format ', 'ndjson json csv'],
  ['rollcall serve --access ', 'open basic oauth'],
  ['rollcall serve --log-level w', 'warn'],
  ['rollcall serve --require-if-match ', 'on off'],
  ['rollcall todo list --finished ', 'true false'],
]

test('bash completes commands, and the values of flags', {
  skip: existsSync('/bin/bash') ? false : 'there is no bash',
}, async () => {
  const { out } = await rollcall(['completion', 'bash'])
  const complete = `COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _rollcall; echo "\${COMPREPLY[*]}"`
  for (const [line, words] of completed) {
    const { stdout } = spawnSync('/bin/bash', ['-c', `${out}\n${complete}`, '-', ...line.split(' ')])
    assert.equal(String(stdout), `${words}\n`, line)
  }
})
