import assert from 'node:assert/strict'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

/** A command line, its exit code, and what is said. */
const slips: readonly (readonly [string, number, string])[] = [
  ['backup none/b.db', 2, 'none/b.db cannot be created: no such file or directory.'],
  ['backup random.db/b.db', 2, 'random.db/b.db cannot be created: not a directory.'],
  ['backup b.db --database-url sqlite:random.db', 3, 'random.db is'],
  ['backup b.db --database-url sqlite:empty.db', 3, 'empty.db has no bytes'],
  ['backup b.db --database-url sqlite:folder', 3, 'folder is not a file'],
  ['restore folder --database-url sqlite:c.db', 2, 'folder is not a file'],
  ['restore random.db --database-url sqlite:c.db', 3, 'random.db cannot be read'],
  ['restore foreign.db --database-url sqlite:c.db', 3, 'foreign.db is not a Rollcall database.'],
  ['restore random.db', 2, 'a.db already exists: add --replace to keep it under another name.'],
  [
    'move --from sqlite:a.db --to postgres://me@127.0.0.1:1/data?sslmode=verify-full&sslrootcert=/none',
    2,
    'The sslrootcert of the database cannot be read: there is no file /none.',
  ],
  ['move --from sqlite:a.db --to sqlite:a.db', 2, '--from and --to are the same database.'],
  [
    'move --from sqlite:a.db --to postgres://u:SECRET@db:99999/x',
    2,
    '--to must name hosts as host, host:port or [address]:port, with ports from 1 to 65535.',
  ],
  [
    'move --from sqlite:none.db --to postgres://u:SEC/RET@db/x',
    2,
    '--to has an @ after its hosts: a /, ? or @ in its user, password or parameters must be written as %2F, %3F or %40.',
  ],
  [
    'move --from mysql://u:SECRET@db --to sqlite:b.db',
    2,
    '--from must be sqlite:PATH, sqlite::memory: or postgres://….',
  ],
  [
    'member list --url http://127.0.0.1:1',
    1,
    'The request to http://127.0.0.1:1/api/v1 cannot be sent: fetch refuses the port as unsafe.',
  ],
  ['member list --url ftp://127.0.0.1', 2, '--url must be http://… or https://….'],
  [
    'member list --url localhost:8080',
    2,
    '--url must be http://… or https://…: add http:// before localhost:8080.',
  ],
  [
    'member list --url http://127.0.0.1:2 --token-file none',
    2,
    'none cannot be read: no such file or directory.',
  ],
  ['move --from sqlite::memory: --to sqlite:b.db', 2, '--from is a database in memory, which ends'],
  ['move --from sqlite:a.db --to sqlite::memory:', 2, '--to is a database in memory, which ends'],
  ['restore ./a.db --replace', 2, './a.db is the database itself, not a backup of it.'],
  [
    'member list --url http://mary:SECRET@127.0.0.1',
    2,
    '--url must hold no user and no password: see --user.',
  ],
  ['member show', 2, 'Say which member: by its id, or by --sign-id.'],
  ['member show x --sign-id y', 2, 'Say which member: by its id, or by --sign-id.'],
  ['member change x', 2, 'There is nothing to change: give a field, such as --address.'],
  ['import todos no.csv', 2, 'no.csv cannot be read: no such file or directory.'],
  ['import cars bad.json', 2, 'There are no cars: say todos or members or keys or webhooks.'],
  ['import todos folder.csv/', 2, 'folder.csv/ is not a regular file.'],
  [
    'import todos todos.xyz',
    2,
    'todos.xyz does not end in .ndjson, .jsonl, .json or .csv: name its format with --format.',
  ],
  [
    'import todos bad.json --dry-run --url http://127.0.0.1:2',
    2,
    '--dry-run works on a database, not with --url.',
  ],
  ['import todos random', 2, 'random does not end in .ndjson'],
  ['export todos todos.txt', 2, 'todos.txt does not end in .ndjson'],
  ['import todos bad.json --database-url mysql://db', 2, 'DATABASE_URL must be'],
  ['import todos bad.json --report none/r', 2, 'none/r cannot be written: no such file or directory.'],
  ['import todos bare.csv', 2, 'it has no header line with the names of its columns.'],
  ['import todos empty.csv', 2, 'it has no header line with the names of its columns.'],
  ['import todos proto.csv', 2, ': the column __proto__ is unknown, there are todoId,'],
  ['import members staff.csv --map Nickname=firstName', 2, 'no column is named nickname, which --map names'],
  ['import members staff.csv --map first=colour', 2, 'the column colour is unknown'],
  ['import members staff.csv --map firstName', 2, 'Say a heading and a field, such as Nickname=firstName.'],
  ['import members staff.csv --date ydm', 2, 'Allowed choices are dmy, mdy.'],
  ['import members bad.json --date dmy', 2, '--map and --date are for the columns of a CSV file.'],
  ['verify --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['todo list --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['backup b.db --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['export todos --json', 2, '--json reports on standard output, so the export itself needs a file.'],
  ['export todos none/x.csv', 2, 'none/x.csv cannot be created: no such file or directory.'],
]

test('a mistake is reported in one sentence, without secrets, and leaves at most a lock file', async () => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: 'sqlite:a.db' }
  const run = (args: readonly string[]) => rollcall(args, { cwd: folder, environment })
  for (const name of ['folder', 'folder.csv']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'random.db'), 'Dear diary, '.repeat(1_000))
  await writeFile(join(folder, 'empty.db'), '')
  new DatabaseSync(join(folder, 'foreign.db')).exec('CREATE TABLE a (b)')
  await writeFile(join(folder, 'bad.json'), '[{"todoTitle":""}]')
  await writeFile(join(folder, 'bare.csv'), ',,\n')
  await writeFile(join(folder, 'empty.csv'), '')
  await writeFile(join(folder, 'proto.csv'), 'todoTitle,__proto__\na,1\n')
  await writeFile(join(folder, 'staff.csv'), 'first,lastName\na,b\n')
  await symlink('loop.db', join(folder, 'loop.db'))
  await run(['todo', 'add', 'x'])
  const before = await readdir(folder)
  for (const [words, expected, says] of slips) {
    const { code, err } = await run(words.split(' '))
    assert.equal(code, expected, `${words}: ${err}`)
    assert.match(err, /^rollcall: .*\.\n$/, words)
    assert.doesNotMatch(err, /SEC|RET/, words)
    assert.ok(err.includes(says), err)
  }
  const made = (await readdir(folder)).filter((name) => !before.includes(name) && !/-wal$|-shm$/.test(name))
  assert.deepEqual(made, ['c.db.lock'])
})

/** A folder, and imports of todos into a database there. */
const importing = () => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: 'sqlite:a.db' }
  const run = (...args: string[]) => rollcall(['import', 'todos', ...args], { cwd: folder, environment })
  return { folder, at: (name: string) => join(folder, name), run }
}

test('a report is about the last import only, and is removed if that refused nothing', async (t) => {
  const api = await startApp(t)
  const { folder, at, run } = importing()
  for (const where of [[], ['--url', api.url], ['--report', 'told']]) {
    await writeFile(at('todos.json'), '[{"todoTitle":""}]')
    assert.equal((await run('todos.json', ...where)).code, 1)
    const [report = ''] = (await readdir(folder)).filter((name) => /refused|told/.test(name))
    assert.match(await readFile(at(report), 'utf8'), /todoTitle/)
    await writeFile(at('todos.json'), '[{"todoTitle":"x"}]')
    assert.equal((await run('todos.json', ...where)).code, 0)
    assert.ok(!(await readdir(folder)).includes(report), report)
  }
})

test('a report may be a link, which is kept, but never the imported file', async () => {
  const { folder, at, run } = importing()
  await writeFile(at('todos.json'), '[{"todoTitle":"x"}]')
  await symlink('/dev/null', at('away'))
  assert.equal((await run('todos.json', '--report', 'away')).code, 0)
  assert.ok((await readdir(folder)).includes('away'))
  await symlink('todos.json', at('symbolic'))
  await link(at('todos.json'), at('hard'))
  for (const same of ['./todos.json', at('todos.json'), 'symbolic', 'hard'])
    assert.deepEqual(await run('todos.json', '--report', same), {
      code: 2,
      out: '',
      err: 'rollcall: --report must not be the file that is imported.\n',
    })
  assert.equal(await readFile(at('todos.json'), 'utf8'), '[{"todoTitle":"x"}]')
})

test('a report overwrites and removes only earlier reports, and follows no link to a file', async () => {
  const { folder, at, run } = importing()
  await writeFile(at('good.csv'), 'todoTitle\nx\n')
  await writeFile(at('bad.csv'), 'todoTitle\n""\n')
  await writeFile(at('keys'), '')
  await writeFile(at('thesis.txt'), 'All my work\n')
  await writeFile(at('cut'), '{"line":1,"code":"e.xx.fw.7001"}\n{"li')
  await symlink('keys', at('bad.csv.refused.ndjson'))
  await symlink('nowhere', at('good.csv.refused.ndjson'))
  for (const args of [
    ['bad.csv'],
    ['good.csv'],
    ['bad.csv', '--report', 'thesis.txt'],
    ['good.csv', '--report', 'thesis.txt'],
    ['good.csv', '--report', 'thesis.txt', '--dry-run'],
  ]) {
    const report = args[2] ?? `${args[0]}.refused.ndjson`
    const err = `rollcall: ${report} already exists and is not an import report: name another file with --report.\n`
    assert.deepEqual(await run(...args), { code: 2, out: '', err })
  }
  assert.equal(await readFile(at('keys'), 'utf8'), '')
  assert.equal(await readFile(at('thesis.txt'), 'utf8'), 'All my work\n')
  assert.ok(!(await readdir(folder)).includes('nowhere'))
  assert.equal((await run('bad.csv', '--report', 'cut')).code, 1)
  assert.match(await readFile(at('cut'), 'utf8'), /^\{"line":2,.*\}\n$/)
  assert.equal((await run('good.csv', '--report', 'cut')).code, 0)
  assert.ok(!(await readdir(folder)).includes('cut'))
})

test('--format takes precedence over the file ending, and standard output needs neither', async () => {
  const { url, good, write, read } = openFolder()
  await write('todos.txt', 'todoTitle\nx')
  await write('todos.jsonl', '{"todoTitle":"y"}')
  await good(['import', 'todos', 'todos.txt', '--format', 'csv'], url('a.db'))
  await good(['import', 'todos', 'todos.jsonl'], url('a.db'))
  await good(['export', 'todos', 'todos.json', '--format', 'csv'], url('a.db'))
  assert.match(await read('todos.json'), /^todoId,todoTitle/)
  assert.match(await good(['export', 'todos'], url('a.db')), /^\{.*\}\n\{.*\}\n$/)
})
