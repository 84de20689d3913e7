import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startApp } from '../harness.ts'
import { openFolder, recordsOf } from './folder.ts'
import { rollcall } from './warm.ts'

const headings = 'firstName,lastName,genderCode,dateOfBirth,emailAddress'
const ann = 'Ann,Lee,2,1990-04-01,ann@example.com'
const bob = 'Bob,Ray,1,1991-05-02,bob@example.com'

/** A folder with a database, and commands that run on a service or on the database. */
const places = async (t: TestContext) => {
  const folder = openFolder()
  const api = await startApp(t)
  const own = folder.url('a.db')
  return [[], ['--url', api.url]].map((where) => ({
    ...folder,
    run: (...args: readonly string[]) => folder.run([...args, ...where], own),
  }))
}

test('a file is imported, and again with changes, by a service or without one', async (t) => {
  for (const { run, write } of await places(t)) {
    await write('staff.csv', `${headings}\n${ann}\n${bob}\n`)
    const first = await run('import', 'members', 'staff.csv', '--passwords', 'none')
    assert.deepEqual([first.code, first.out], [0, '2 new, 0 changed, 0 unchanged, 0 refused.\n'], first.err)
    await write('staff.csv', `${headings}\n${ann}\n${bob.replace('Ray', 'Roy')}\nCy,,1,1990-01-01,x\n`)
    const args = ['import', 'members', 'staff.csv', '--passwords', 'none'] as const
    const dry = await run(...args, '--dry-run')
    assert.equal(dry.out, '0 new, 1 changed, 1 unchanged, 1 refused; nothing is written.\n')
    assert.match(dry.err, /^Line 3 changes lastName: Ray → Roy$/m)
    assert.match(dry.err, /^Line 4: lastName: .*must not be null/m)
    assert.match(dry.err, /^Line 4: emailAddress \(x\): /m)
    const second = await run(...args, '--json')
    const { importId, ...told } = JSON.parse(second.out)
    assert.deepEqual(
      [second.code, told],
      [1, { written: 1, refused: 1, skipped: 1, new: 0, changed: 1, deleted: 0 }],
    )
    const names = async () =>
      recordsOf((await run('member', 'list', '--json')).out).map(({ lastName }) => lastName)
    assert.deepEqual(await names(), ['Lee', 'Roy'])
    assert.match((await run('import', 'members', '--undo', importId)).err, /The import is undone/)
    assert.deepEqual(await names(), ['Lee', 'Ray'])
  }
})

test('generated passwords are written to a file that only its owner may read, also when an import is continued', async (t) => {
  for (const [at, { run, write, read, folder }] of (await places(t)).entries()) {
    const given = `given${at}.csv`
    await write('staff.csv', `${headings}\n${ann}\n${bob.replace('Ray', '=Ray')}\n`)
    const args = ['import', 'members', 'staff.csv', '--passwords', 'generate'] as const
    const without = await run(...args)
    assert.deepEqual([without.code, /name it with --passwords-to\.$/m.test(without.err)], [2, true])
    const none = await run('import', 'members', 'staff.csv', '--passwords', 'none', '--passwords-to', given)
    assert.deepEqual([none.code, /--passwords-to needs --passwords generate/.test(none.err)], [2, true])
    const written = await run(...args, '--passwords-to', given)
    assert.deepEqual([written.code, /given.\.csv has 2 passwords/.test(written.err)], [0, true], written.err)
    const text = await read(given)
    assert.match(text, /^signId,lastName,firstName,password\r\nann@example\.com,Lee,Ann,[a-z2-9-]{19}\r\n/)
    assert.match(text, /\r\nbob@example\.com,'=Ray,Bob,[a-z2-9-]{19}\r\n$/)
    assert.equal(statSync(join(folder, given)).mode & 0o777, 0o600)
    const again = await run(...args, '--passwords-to', given)
    assert.match(again.err, /given.\.csv already exists: name another file with --passwords-to/)
    const [id] = /(?<=--undo )[\w-]+/.exec(written.err) ?? []
    const later = await run('import', 'members', '--continue', id ?? '', '--passwords-to', `later${at}.csv`)
    assert.deepEqual([later.code, await read(`later${at}.csv`)], [0, text], later.err)
  }
})

test('--passwords and --passwords-to are refused where records have no passwords', async (t) => {
  for (const { run, write } of await places(t)) {
    await write('todos.csv', 'todoTitle\na\n')
    for (const flags of [
      ['--passwords', 'generate'],
      ['--passwords', 'none'],
      ['--passwords-to', 'a.csv'],
    ]) {
      const { code, err } = await run('import', 'todos', 'todos.csv', ...flags)
      assert.equal(code, 2)
      assert.match(
        err,
        /^rollcall: --passwords and --passwords-to are for members: todos have no passwords\.$/m,
      )
    }
    assert.equal((await run('todo', 'list', '--json')).out, '')
  }
})

test('an import names the flag of each missing choice, and leaves nothing behind', async (t) => {
  for (const { run, write } of await places(t)) {
    await write('staff.csv', 'Vorname,Nachname,Geburtstag,E-Mail\nAnn,Lee,3/2/1985,ann@example.com\n')
    const asked = await run('import', 'members', 'staff.csv')
    assert.equal(asked.code, 2)
    assert.match(
      asked.err,
      /^(?:rollcall: )?Dates such as 3\/2\/1985 can be read in two ways\. Choose their order: --date dmy, mdy or ymd\.$/m,
    )
    assert.match(asked.err, /^The file has no passwords\. .*--passwords none.*--passwords generate /m)
    await write('none.csv', 'foo,bar\na,b\n')
    const none = await run('import', 'members', 'none.csv', '--passwords', 'none')
    assert.deepEqual(
      [none.code, /use --map "Heading=field"\. The headings are foo, bar\./.test(none.err)],
      [2, true],
    )
    assert.equal((await run('member', 'list', '--json')).out, '')
  }
})

test('--map, --date, --encoding and --match read the file of another program', async (t) => {
  for (const { folder, run } of await places(t)) {
    const header = 'Staff no,Given name,Family name,Sex,Born on,Work email,Secret\n'
    const name = Buffer.from([0x88, 0xa4, 0x8e, 0x71])
    const rest =
      ',Tanaka,female,03/02/1985,aiko@example.com,demodemo\n2,Bo,Berg,m,4/3/1985,bo@example.com,demodemo\n'
    await writeFile(
      join(folder, 'staff.csv'),
      Buffer.concat([Buffer.from(`${header}1,`), name, Buffer.from(rest)]),
    )
    const mapped = ['--map', 'STAFF NO=', '--map', 'secret=password', '--encoding', 'shift_jis']
    const args = ['import', 'members', 'staff.csv', '--date', 'dmy', '--match', 'emailAddress', ...mapped]
    const { out, err } = await run(...args)
    assert.equal(out, '2 new, 0 changed, 0 unchanged, 0 refused.\n', err)
    assert.doesNotMatch(err, /Left out/)
    const found = recordsOf((await run('member', 'list', '--json')).out)
    const shown = found.map(({ firstName, dateOfBirth }) => `${firstName} ${dateOfBirth}`)
    assert.deepEqual(shown, ['愛子 1985-02-03', 'Bo 1985-03-04'])
  }
})

test('a report lists every refused row without secrets, and is never written over an existing file', async () => {
  const { url, run, write, read, folder } = openFolder()
  const rows = Array.from({ length: 30 }, (_, at) => `Ann,Lee,2,1990-04-01,ann${at}@example.com,s3cret`)
  await write('staff.csv', `${headings},password\n${rows.join('\n')}\n`)
  const args = ['import', 'members', 'staff.csv', '--report', 'refused.ndjson']
  const { code, err } = await run(args, url('a.db'))
  assert.deepEqual([code, err.match(/^Line/gm)?.length], [1, 20])
  const refused = await read('refused.ndjson')
  assert.equal(recordsOf(refused).length, 30)
  assert.doesNotMatch(refused + err, /s3cret/)
  assert.match((await run(args, url('a.db'))).err, /^rollcall: refused\.ndjson already exists/)
  await write('staff.csv', `${headings},password\n${ann},demodemo\n`)
  await run(args.with(-1, 'none.ndjson'), url('a.db'))
  assert.equal(existsSync(join(folder, 'none.ndjson')), false)
})

test('an import refuses an unreadable file with the line of the fault, and leaves nothing behind', async (t) => {
  for (const { run, write } of await places(t)) {
    await write('todos.csv', 'todoTitle\na\n"b\n')
    const { code, err } = await run('import', 'todos', 'todos.csv')
    assert.equal(code, 2)
    assert.match(err, /^rollcall: .*line 3/)
    assert.equal((await run('todo', 'list', '--json')).out, '')
  }
})

test('a dry run writes nothing, and needs no database', async () => {
  const { folder, url, run, good, write } = openFolder()
  await write('todos.csv', 'todoTitle,finished\r\na,true\r\nb,maybe\r\n"",\r\n')
  const args = ['import', 'todos', 'todos.csv', '--dry-run']
  const { code, out, err } = await run(args, url('none.db'))
  assert.deepEqual([code, out], [1, '1 new, 0 changed, 0 unchanged, 2 refused; nothing is written.\n'])
  assert.match(err, /^There is no database at .*none\.db\. An empty one is used in its place\.$/m)
  assert.equal(existsSync(join(folder, 'none.db')), false)
  await good(['todo', 'add', 'first'], url('a.db'))
  assert.equal((await run(args, url('a.db'))).out, out)
  assert.equal(recordsOf(await good(['todo', 'list', '--json'], url('a.db'))).length, 1)
})

test('an import reads the file from standard input, but then no password', async () => {
  const { folder, url, good } = openFolder()
  const environment = { DATABASE_URL: url('a.db') }
  const importing = (...args: readonly string[]) =>
    rollcall(['import', 'todos', '-', ...args], { cwd: folder, environment, input: 'todoTitle\na\nb\n' })
  assert.equal(
    (await importing('--format', 'csv', '--from-start')).out,
    '2 new, 0 changed, 0 unchanged, 0 refused.\n',
  )
  assert.equal(recordsOf(await good(['export', 'todos'], url('a.db'))).length, 2)
  const over = await importing('--url', 'http://127.0.0.1:2', '--user', 'mary')
  assert.deepEqual([over.code, /give the password in ROLLCALL_PASSWORD/.test(over.err)], [2, true])
})
