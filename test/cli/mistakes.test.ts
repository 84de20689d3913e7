import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { freshFolder } from '../fresh-folder.ts'
import { openFolder } from './folder.ts'
import { rollcall } from './warm.ts'

/** A command line, its exit code, and its message. */
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
  ['member show', 2, 'Name the member, by its id or with --sign-id.'],
  ['member show x --sign-id y', 2, 'Name the member, by its id or with --sign-id.'],
  ['member change x', 2, 'There is nothing to change: give a field, such as --address.'],
  ['import todos no.csv', 2, 'no.csv cannot be read: no such file or directory.'],
  ['import cars bad.json', 2, 'There are no cars: choose todos or members or keys or webhooks.'],
  ['import todos folder.csv/', 2, 'folder.csv/ is not a regular file.'],
  ['export todos todos.txt', 2, 'todos.txt does not end in .ndjson'],
  ['import todos bad.json --database-url mysql://db', 2, 'DATABASE_URL must be'],
  ['import todos', 2, 'Give exactly one: a file, --continue <import-id> or --undo <import-id>.'],
  [
    'import todos bad.json --undo x',
    2,
    'Give exactly one: a file, --continue <import-id> or --undo <import-id>.',
  ],
  [
    'import todos bad.json --report random.db',
    2,
    'random.db already exists: name another file with --report.',
  ],
  ['import todos bad.json --report none/r', 2, 'none/r cannot be created: no such file or directory.'],
  ['import todos bad.json --exact --dry-run', 2, '--dry-run does not work with an exact copy.'],
  ['import todos bad.json --exact --map id=', 2, '--map does not work with an exact copy.'],
  ['import todos empty.csv', 2, 'The file has no records.'],
  ['import todos random.db', 2, 'No column of the file was recognised: use --map'],
  [
    'import members staff.csv --map Nickname=firstName',
    2,
    '--map names the column nickname, which the file does not have.',
  ],
  ['import members staff.csv --map firstName', 2, 'Give a heading and a field, such as Nickname=firstName.'],
  ['import members staff.csv --date ydm', 2, 'Allowed choices are dmy, mdy, ymd.'],
  ['import members --continue 01a1fdc8-f6d2-7f0c-9d0a-6c1f5f9f0e11', 1, 'Resource not found.'],
  ['verify --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['todo list --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['backup b.db --database-url sqlite:loop.db', 3, 'loop.db cannot be used: ELOOP: '],
  ['export todos --json', 2, '--json reports on standard output, so the export itself needs a file.'],
  ['export todos none/x.csv', 2, 'none/x.csv cannot be created: no such file or directory.'],
]

test('a mistake in a command is reported in one sentence, without secrets, and leaves at most a lock file', async () => {
  const folder = freshFolder()
  const environment = { DATABASE_URL: 'sqlite:a.db' }
  const run = (args: readonly string[]) => rollcall(args, { cwd: folder, environment })
  for (const name of ['folder', 'folder.csv']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'random.db'), 'Dear diary, '.repeat(1_000))
  await writeFile(join(folder, 'empty.db'), '')
  new DatabaseSync(join(folder, 'foreign.db')).exec('CREATE TABLE a (b)')
  await writeFile(join(folder, 'bad.json'), '[{"todoTitle":""}]')
  await writeFile(join(folder, 'empty.csv'), '')
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

test('--format takes precedence over the file extension, and standard output needs neither', async () => {
  const { url, good, read } = openFolder()
  for (const title of ['x', 'y']) await good(['todo', 'add', title], url('a.db'))
  await good(['export', 'todos', 'todos.json', '--format', 'csv'], url('a.db'))
  assert.match(await read('todos.json'), /^todoId,todoTitle/)
  assert.match(await good(['export', 'todos'], url('a.db')), /^\{.*\}\n\{.*\}\n$/)
})
