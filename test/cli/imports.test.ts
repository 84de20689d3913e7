import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { startApp } from '../harness.ts'
import { numbered } from '../people.ts'
import { lines, openFolder, recordsOf } from './folder.ts'

/** What is told of the refused records: the line and the targets of the details. */
const reportOf = (text: string) =>
  recordsOf(text)
    .map(({ line, details }) => [line, ...details.map((detail: { target: string }) => detail.target)])
    .toSorted(([one], [other]) => one - other)

test('in a CSV file, "finished" is read alike, or refused alike, by a database and by a service', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t)
  const rows = 'a,TRUE\nb,True\nc,false\nd,FALSE\ne,\nf,yes\ng,1\nh, true\ni,""\n'
  await write('todos.csv', `todoTitle,finished\n${rows}`)
  for (const where of [[], ['--url', api.url]]) {
    assert.equal((await run(['import', 'todos', 'todos.csv', ...where], url('a.db'))).code, 1)
    const expected = [7, 8, 9, 10].map((line) => [line, 'finished'])
    assert.deepEqual(reportOf(await read('todos.csv.refused.ndjson')), expected, where.join())
    const { out } = await run(['todo', 'list', '--json', ...where], url('a.db'))
    const finished = recordsOf(out).filter((todo) => todo.finished)
    assert.deepEqual(
      finished.map(({ todoTitle }) => todoTitle),
      ['a', 'b'],
    )
  }
})

test('what is imported into a database is in the log of changes, without what only the database keeps', async () => {
  const { url, good, run, write } = openFolder()
  await write('people.ndjson', lines([numbered(1), numbered(2), numbered(1)]))
  await write('todos.csv', 'todoTitle\na\nb\n')
  assert.equal((await run(['import', 'members', 'people.ndjson'], url('a.db'))).code, 1)
  await good(['import', 'todos', 'todos.csv'], url('a.db'))
  const db = new DatabaseSync(url('a.db').slice('sqlite:'.length))
  const logged = db.prepare('SELECT number, type, value FROM change ORDER BY number').all()
  assert.deepEqual(
    logged.map(({ number, type }) => `${number} ${type}`),
    ['1 member.created', '2 member.created', '3 todo.created', '4 todo.created'],
  )
  assert.doesNotMatch(JSON.stringify(logged), /password_?hash|argon/i)
  db.close()
})

test('over --url, a value of the wrong type is refused as it is for a database, never dropped', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t)
  await write(
    'todos.ndjson',
    lines([
      { todoTitle: 5 },
      { todoTitle: 'b', finished: 'true' },
      { todoTitle: 'c', colour: null },
      { todoTitle: 'd', constructor: null },
      ['e'],
      { todoTitle: '' },
    ]),
  )
  const reports = []
  for (const where of [[], ['--url', api.url]]) {
    assert.equal((await run(['import', 'todos', 'todos.ndjson', ...where], url('a.db'))).code, 1)
    reports.push((await read('todos.ndjson.refused.ndjson')).split('\n').toSorted())
  }
  assert.equal(reports[0]?.length, 7)
  assert.deepEqual(reports[1], reports[0])
})

test('over --url, ids and times are left out whatever they hold', async (t) => {
  const { url, run, write } = openFolder()
  const api = await startApp(t)
  const { credential, ...profile } = { ...numbered(1), credential: { signId: null, password: 'demodemo' } }
  const times = { passwordLastChangedAt: '2020-01-01T00:00:00Z', lastModifiedAt: 5 }
  const member = { ...profile, memberId: 7, createdAt: 'yesterday', credential: { ...credential, ...times } }
  await write('people.ndjson', lines([member]))
  const { out } = await run(['import', 'members', 'people.ndjson', '--url', api.url], url('a.db'))
  assert.equal(out, '1 written, 0 refused.\n')
})

test('over --url, a batch that is longer than the service takes is cut, and one record that is refused alone', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t, { BODY_LIMIT: '1KiB' })
  const todos = [...Array(20).keys()].map((at) => ({ todoTitle: `${at}`, finished: at % 2 === 0 }))
  await write('todos.ndjson', lines([...todos, { todoTitle: 'x'.repeat(1_000) }]))
  const { out } = await run(['import', 'todos', 'todos.ndjson', '--url', api.url], url('a.db'))
  assert.match(out, /^20 written, 1 refused/)
  assert.match(await read('todos.ndjson.refused.ndjson'), /^\{"line":21,"code":"e.xx.fw.6004"/)
  const stored = (await api('GET /todos')).body as readonly { finished: boolean }[]
  assert.deepEqual([stored.length, stored.filter(({ finished }) => finished).length], [20, 10])
})

test('over --url, a hash is refused; a role is given once, and left alone when others have given another', async (t) => {
  const { url, run, write, read } = openFolder()
  const api = await startApp(t)
  const credential = { password: 'demodemo', role: 'suspended', roleChangedAt: null }
  await write('people.ndjson', lines([{ ...numbered(1), credential }, numbered(2)]))
  const args = ['import', 'members', 'people.ndjson', '--url', api.url]
  assert.match((await run(args, url('a.db'))).out, /^1 written, 1 refused/)
  assert.match(await read('people.ndjson.refused.ndjson'), /"line":2.*accepts no hash/)
  const [member] = (await api('GET /members')).body as readonly { readonly memberId: string }[]
  const place = `/members/${member?.memberId}/role`
  assert.equal((await api(`GET ${place}`)).text, '{"role":"suspended"}')
  await api(`PUT ${place}`, { role: 'member' })
  assert.match((await run(args, url('a.db'))).out, /^0 written, 1 already done/)
  assert.equal((await api(`GET ${place}`)).text, '{"role":"member"}')
})

/** A folder, and imports of its files that report how many records were written, refused and already done. */
const importing = async (t: TestContext) => {
  const folder = openFolder()
  const api = await startApp(t)
  const counted = async (args: readonly string[]) => {
    const { out } = await folder.run(['import', 'todos', ...args, '--json'], folder.url('a.db'))
    const { written, refused, skipped } = JSON.parse(out)
    return [written, refused, skipped]
  }
  return { ...folder, api, counted, over: (...args: string[]) => counted([...args, '--url', api.url]) }
}

test('over --url, deleted records are created anew by --from-start, or from another file', async (t) => {
  const { api, write, run, url, over } = await importing(t)
  const text = 'todoTitle,finished\na,true\nb,\n'
  await write('todos.csv', text)
  await write('copy.csv', text)
  const titles = async () => {
    const todos = (await api('GET /todos')).body as readonly { todoId: string; todoTitle: string }[]
    for (const { todoId } of todos) await api(`DELETE /todos/${todoId}`)
    return todos.map(({ todoTitle }) => todoTitle).toSorted()
  }
  assert.deepEqual(await over('todos.csv'), [2, 0, 0])
  assert.deepEqual(await titles(), ['a', 'b'])
  const again = await run(['import', 'todos', 'todos.csv', '--url', api.url], url('a.db'))
  assert.equal(again.out, '0 written, 2 already done (imported again only with --from-start), 0 refused.\n')
  for (const args of [['todos.csv', '--from-start'], ['todos.csv', '--from-start'], ['copy.csv']]) {
    assert.deepEqual(await over(...args), [2, 0, 0], args.join())
    assert.deepEqual(await titles(), ['a', 'b'])
  }
})

test('over --url, a file with corrected, moved and added lines creates only what is new', async (t) => {
  const { api, write, over } = await importing(t)
  await write('todos.csv', 'todoTitle,finished\na,\n"",\nb,maybe\nc,true\na,\n')
  assert.deepEqual(await over('todos.csv'), [3, 2, 0])
  await write('todos.csv', 'todoTitle,finished\nd,true\nc,true\na,\nb,false\na,\na,\n')
  assert.deepEqual(await over('todos.csv'), [3, 0, 3])
  const todos = (await api('GET /todos')).body as readonly { todoTitle: string; finished: boolean }[]
  assert.deepEqual(todos.map(({ todoTitle, finished }) => `${todoTitle} ${finished}`).toSorted(), [
    'a false',
    'a false',
    'a false',
    'b false',
    'c true',
    'd true',
  ])
})

test('a file that cannot be read further is resumed once it is corrected; its import says what is written', async (t) => {
  const { write, run, read, good, url, counted } = await importing(t)
  for (const [file, begin, broken, corrected] of [
    ['todos.csv', 'todoTitle\na\n""\nb\n', '"c', '"c"\nd\n'],
    [
      'todos.json',
      '[{"todoTitle":"a"},{"todoTitle":""},{"todoTitle":"b"}',
      '',
      ',{"todoTitle":"c"},{"todoTitle":"d"}]',
    ],
    [
      'unclosed.json',
      '[{"todoTitle":"a"},{"todoTitle":""},{"todoTitle":"b"},{"todoTitle":"c"',
      ',{"todoTitle":"d"}]',
      '},{"todoTitle":"d"}]',
    ],
  ] as const) {
    await write(file, `${begin}${broken}`)
    const { code, err } = await run(['import', 'todos', file], url('a.db'))
    assert.equal(code, 2)
    assert.match(
      err,
      /\. Records written before: 2; correct the file and import it again for the others\.\n$/,
    )
    await write(file, `${begin}${corrected}`)
    assert.deepEqual(await counted([file, '--dry-run']), [2, 1, 2], file)
    const resumed = await run(['import', 'todos', file, '--json'], url('a.db'))
    assert.partialDeepStrictEqual(JSON.parse(resumed.out), { written: 2, refused: 1, skipped: 2 })
    assert.match(resumed.err, file.endsWith('.csv') ? /^Resuming after line 4/ : /^Resuming after element 3/)
    const place = file.endsWith('.csv') ? '{"line":3,' : '{"line":1,"element":2,'
    assert.ok((await read(`${file}.refused.ndjson`)).startsWith(place))
  }
  assert.equal((await good(['export', 'todos'], url('a.db'))).trim().split('\n').length, 12)
})

test('a file that is not UTF-8 is refused with the line of the first other byte', async (t) => {
  const { api, folder, run, url } = await importing(t)
  const long = `todoTitle\n"${'牛乳\n'.repeat(20_000)}"\n`
  for (const [file, content, line] of [
    ['todos.csv', Buffer.from('todoTitle\n"a\nb"\ncaf\xe9\n', 'latin1'), 4],
    [
      'todos.ndjson',
      Buffer.concat([Buffer.from('{"todoTitle":"牛乳"}\n\n{"todoTitle":"'), Buffer.of(0xe7)]),
      3,
    ],
    ['long.csv', Buffer.concat([Buffer.from(long), Buffer.of(0xff), Buffer.from(long)]), 20_003],
    ['todos.json', Buffer.from('[{"todoTitle":\n"\xff"}]', 'latin1'), 2],
  ] as const)
    for (const where of [[], ['--url', api.url]]) {
      await writeFile(join(folder, file), content)
      const { code, err } = await run(['import', 'todos', file, ...where, '--from-start'], url('a.db'))
      assert.equal(code, 2)
      assert.ok(err.startsWith(`rollcall: ${file} is not UTF-8 in line ${line}.`), err)
    }
})

test('a resumed import counts what was refused before, also if its report is gone', async (t) => {
  const { write, run, url } = await importing(t)
  const header = 'todoTitle\n'
  await write('todos.csv', `${header}a\n""\n"b`)
  await run(['import', 'todos', 'todos.csv', '--report', 'first.ndjson'], url('a.db'))
  await write('todos.csv', `${header}a\n""\n"b"\n`)
  const { code, out, err } = await run(['import', 'todos', 'todos.csv'], url('a.db'))
  assert.equal(code, 1)
  assert.match(out, /^1 written, 1 already done[^,]*, 1 refused/)
  assert.match(err, /The report lacks 1 of the records refused before the interruption\./)
})

test('a file that changed before the place where its import was interrupted is refused', async (t) => {
  const { write, run, good, url, counted } = await importing(t)
  await write('todos.csv', 'todoTitle\na\n\nb\n"c')
  const args = ['import', 'todos', 'todos.csv']
  assert.equal((await run(args, url('a.db'))).code, 2)
  const sentence =
    'todos.csv has changed up to line 4, where its import was interrupted when 2 of its records had been written: ' +
    'undo that change to resume, or --from-start imports it from the beginning, including those.'
  for (const changed of ['todoTitle\na\nb\n\n"c"', 'todoTitle\na\n\nB\n"c"', 'todoTitle\na'])
    for (const manner of [[], ['--dry-run']]) {
      await write('todos.csv', changed)
      const { code, err } = await run([...args, ...manner], url('a.db'))
      assert.deepEqual([code, err], [2, `rollcall: ${sentence}\n`])
    }
  await write('todos.csv', 'todoTitle\na\nb\n\n"c"')
  const titles = async () => (await good(['export', 'todos'], url('a.db'))).trim().split('\n').length
  assert.equal(await titles(), 2)
  assert.deepEqual(await counted(['todos.csv', '--from-start', '--dry-run']), [3, 0, 0])
  assert.equal((await run(args, url('a.db'))).code, 2, 'a dry run leaves the mark')
  assert.deepEqual(await counted(['todos.csv', '--from-start']), [3, 0, 0])
  assert.equal(await titles(), 5)
  assert.deepEqual(await counted(['todos.csv']), [3, 0, 0])
})

test('an interrupted import that wrote nothing blocks no other content of its file', async (t) => {
  const { write, run, url, counted } = await importing(t)
  await write('refused.csv', 'todoTitle\n""\n"c')
  assert.equal((await run(['import', 'todos', 'refused.csv'], url('a.db'))).code, 2)
  await write('refused.csv', 'todoTitle\na\n')
  assert.deepEqual(await counted(['refused.csv']), [1, 0, 0])
})

test('a row with more or fewer cells than the header has columns is refused, and reported in its place', async (t) => {
  const { api, write, run, read, url } = await importing(t)
  for (const where of [[], ['--url', api.url]]) {
    await write('todos.csv', 'todoTitle,finished\n"",\na,true,x\nb,\nc')
    const { code, out } = await run(['import', 'todos', 'todos.csv', ...where], url('a.db'))
    assert.deepEqual([code, out.slice(0, 22)], [1, '1 written, 3 refused; '])
    const reported = (await read('todos.csv.refused.ndjson')).trim().split('\n')
    const messages = reported.map((line) => JSON.parse(line)).map(({ line, message }) => [line, message])
    assert.deepEqual(messages, [
      [2, 'Validation error occurred on item in the request body.'],
      [3, 'It has more cells than the header line has columns.'],
      [5, 'It has fewer cells than the header line has columns.'],
    ])
  }
})

test('a file without a header is refused once, its first record is not quoted, and nothing is sent', async (t) => {
  const { api, write, run, url } = await importing(t)
  await write('people.csv', 'Aiko,Tanaka,2,1990-04-01,aiko@example.com,demodemo\n'.repeat(10))
  const words =
    /^rollcall: The file cannot be read further: its first line names none of the columns memberId, /
  for (const where of [[], ['--url', api.url]]) {
    const { code, out, err } = await run(['import', 'members', 'people.csv', ...where], url('a.db'))
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, words)
    assert.doesNotMatch(err, /demodemo/)
  }
  const requests = api.log.filter(({ method }) => method !== undefined)
  assert.deepEqual(requests, [])
})

test('--map, --date and --encoding read the file of another program, into a database and over a service', async (t) => {
  const { api, folder, run, url } = await importing(t)
  const header = Buffer.from('Staff no,Given name,Family name,Sex,Born on,Work email,Secret\n')
  const name = Buffer.from([0x88, 0xa4, 0x8e, 0x71])
  const rows = [
    Buffer.concat([
      Buffer.from('1,'),
      name,
      Buffer.from(',Tanaka,female,03/02/1985,aiko@example.com,demodemo\n'),
    ]),
    Buffer.from('2,Bo,Berg,m,31.12.1985,bo@example.com,demodemo\n'),
    Buffer.from('3,Cy,Cole,m,31/31/1985,cy@example.com,demodemo\n'),
  ]
  await writeFile(join(folder, 'staff.csv'), Buffer.concat([header, ...rows]))
  const mapped = ['--map', 'STAFF NO=', '--map', 'secret=password', '--encoding', 'shift_jis']
  for (const where of [[], ['--url', api.url]]) {
    const args = ['import', 'members', 'staff.csv', ...where, ...mapped, '--date', 'dmy']
    const { out } = await run(args, url('staff.db'))
    assert.match(out, /^2 written, 1 refused/)
    const listed = await run(['member', 'list', '--json', ...where], url('staff.db'))
    assert.deepEqual(
      recordsOf(listed.out).map(({ firstName, genderCode, dateOfBirth }) => [
        firstName,
        genderCode,
        dateOfBirth,
      ]),
      [
        ['愛子', '2', '1985-02-03'],
        ['Bo', '1', '1985-12-31'],
      ],
    )
  }
})

test('a date whose order nobody has said is refused with the option that says it', async () => {
  const { read, run, write, url } = openFolder()
  const bo = 'Bo,Berg,m,03/02/1985,bo@example.com,bo berg,demodemo'
  await write('staff.csv', `firstName,lastName,gender,born on,email,signId,password\n${bo}\n`)
  const { out } = await run(['import', 'members', 'staff.csv'], url('staff.db'))
  assert.match(out, /^0 written, 1 refused/)
  assert.match(await read('staff.csv.refused.ndjson'), /03\/02\/1985: --date says whether/)
})

test('a file in UTF-16 is known by its mark', async (t) => {
  const { folder, run, url } = await importing(t)
  await writeFile(join(folder, 'todos.csv'), Buffer.from('\ufefftodoTitle\n牛乳\n', 'utf16le'))
  const { out } = await run(['import', 'todos', 'todos.csv'], url('todos.db'))
  assert.match(out, /^1 written, 0 refused/)
})
