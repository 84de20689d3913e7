import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readNewSecret } from '#src/cli/secret-input.ts'
import { childEnvironment, main } from '../program.ts'
import { lines, openFolder, recordsOf } from './folder.ts'
import { rollcall } from './warm.ts'

/** Input that is typed at a terminal instead of standard input. */
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

test('a new password typed in two different ways is refused', async (t) => {
  typed(t, 'demodemo\ndemodemi\n')
  await assert.rejects(readNewSecret('New password'), /The two passwords are not the same\./)
})

test('a command warns of a secret on the command line', async () => {
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

test('Ctrl-C ends an import by SIGINT; the printed command continues it and writes every row once', async () => {
  const { folder, url, run, good, write } = openFolder()
  const todos = Array.from({ length: 3_000 }, (_, number) => ({ todoTitle: `todo ${number}` }))
  await write('todos.ndjson', lines([{ todoTitle: '' }, ...todos]))
  const env = { ...childEnvironment, DATABASE_URL: url('a.db') }
  const child = spawn(process.execPath, [main, 'import', 'todos', 'todos.ndjson'], { cwd: folder, env })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  await untilApplied(join(folder, 'a.db'))
  child.kill('SIGINT')
  await once(child, 'close')
  const says =
    /^Interrupted\. ([\d,]+) of 3,000 rows are written\. Continue with `rollcall import todos --continue ([\w-]+)`, or in/
  assert.match(said, says)
  const [, done, id = ''] = says.exec(said) ?? []
  assert.equal(child.signalCode, 'SIGINT', said)
  assert.notEqual(done, '3,000')
  const again = await run(['import', 'todos', '--continue', id], url('a.db'))
  assert.deepEqual([again.code, again.out], [1, '3,000 new, 0 changed, 0 unchanged, 1 refused.\n'], again.err)
  const titles = recordsOf(await good(['export', 'todos'], url('a.db'))).map(({ todoTitle }) => todoTitle)
  assert.deepEqual([titles.length, new Set(titles).size], [3_000, 3_000])
})

/** Waits until an import has written some rows. */
const untilApplied = async (file: string) => {
  for (;;) {
    await sleep(20)
    if (!existsSync(file)) continue
    using database = new DatabaseSync(file, { readOnly: true })
    try {
      if (database.prepare('SELECT 1 FROM import_row WHERE applied IS NOT NULL LIMIT 1').get()) return
    } catch {
      // The tables are not there yet.
    }
  }
}

const completed: readonly (readonly [line: string, words: string])[] = [
  ['rollcall im', 'import'],
  ['rollcall import todos a.csv --existing ', 'update skip refuse change delete'],
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
