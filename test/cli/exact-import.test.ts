import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../engines.ts'
import { startApp } from '../harness.ts'
import { numberedMember } from '../people.ts'
import { lines, openFolder, recordsOf } from './folder.ts'

const idOf = (number: number) => `0198c2a4-0000-7000-8000-00000000000${number}`

const member = (number: number, signId: string) => ({
  ...numberedMember(number),
  memberId: idOf(number),
  credential: { ...numberedMember(number).credential, signId },
})

for (const { name, skip, url } of databases)
  test(`${name}: the records of an exact copy are in the log without hashes; existing records stay unchanged, and a refusal names the value that is in use`, {
    skip,
  }, async (t) => {
    const { run, good, write } = openFolder()
    const database = await url(t)
    await write('one.ndjson', lines([member(1, 'one')]))
    await good(['import', 'members', 'one.ndjson', '--exact'], database)
    await write(
      'people.ndjson',
      lines([member(2, 'two'), member(1, 'one'), member(3, 'TWO'), member(4, 'ONE')]),
    )
    const { code, out, err } = await run(['import', 'members', 'people.ndjson', '--exact'], database)
    assert.deepEqual([code, out], [1, '1 written, 1 already there, 2 refused.\n'])
    assert.deepEqual(err.trim().split('\n'), [
      'Line 3: Cannot use specified sign id. sign id : TWO',
      'Line 4: Cannot use specified sign id. sign id : ONE',
    ])
    const logged = recordsOf(await good(['changes', '--json'], database)).filter(({ type }) => type)
    assert.deepEqual(
      logged.map(({ type }) => type),
      ['member.created', 'member.created'],
    )
    assert.doesNotMatch(JSON.stringify(logged), /password_?hash|argon/i)
  })

const hashOfAnotherProgram = '$2b$10$abcdefghijklmnopqrstuuYL44tCEuS7PsgHGqy111JSCMUikX/vO'

test('an exact copy reports a refused record by line and reason, without its content', async () => {
  const { url, run, write, read } = openFolder()
  const costlyHash = numberedMember(8).credential.passwordHash.replace('m=19456,', 'm=65536,')
  const records = [
    numberedMember(1),
    { ...numberedMember(2), genderCode: '9', emailAddress: 'x' },
    { ...numberedMember(3), credential: { signId: 's', passwordHash: '$2b$10$topsecret' } },
    { ...numberedMember(4), credential: { signId: 's', password: 'short' } },
    { ...numberedMember(5), credential: { signId: 's' } },
    { ...numberedMember(6), memberId: '1', nickname: 'x' },
    { ...numberedMember(7), credential: { signId: 'seven', passwordHash: hashOfAnotherProgram } },
    { ...numberedMember(8), credential: { ...numberedMember(8).credential, passwordHash: costlyHash } },
  ]
  await write('people.ndjson', `${lines(records)}{"firstName":"topsecret"\n\n[]\n`)
  const args = ['import', 'members', 'people.ndjson', '--exact', '--json', '--report', 'refused']
  const ended = await run(args, url('a.db'))
  assert.deepEqual(
    [ended.code, JSON.parse(ended.out)],
    [1, { written: 2, refused: 8, skipped: 0, report: 'refused' }],
  )
  const report = await read('refused')
  assert.doesNotMatch(report + ended.err, /topsecret/)
  assert.match(report, /must be of type argon2id, m times t at most 77824/)
  assert.deepEqual(
    recordsOf(report).map(({ line, faults }) => [
      line,
      ...faults.map(({ field }: { field: string | null }) => field),
    ]),
    [
      [2, 'genderCode', 'emailAddress'],
      [3, 'credential.passwordHash'],
      [4, 'credential.password'],
      [5, 'credential.password'],
      [6, 'nickname', 'memberId'],
      [8, 'credential.passwordHash'],
      [9, null],
      [11, null],
    ],
  )
})

test('an interrupted exact copy of more than 500 records says how many are written, and can run again', async () => {
  const { url, run, write } = openFolder()
  const todos = Array.from({ length: 600 }, (_, at) => ({
    todoId: `0198c2a4-0000-7000-8000-${String(at).padStart(12, '0')}`,
    todoTitle: `${at}`,
  }))
  const whole = JSON.stringify(todos)
  await write('todos.json', whole.slice(0, -1))
  const cut = await run(['import', 'todos', 'todos.json', '--exact'], url('a.db'))
  assert.deepEqual([cut.code, / 500 records are written\.\n$/.test(cut.err)], [2, true], cut.err)
  await write('todos.json', whole)
  const again = await run(['import', 'todos', 'todos.json', '--exact'], url('a.db'))
  assert.equal(again.out, '100 written, 500 already there, 0 refused.\n')
})

test('hashes, keys and webhooks are imported only into a database, and an ordinary import says what it leaves out', async (t) => {
  const { url, run, write } = openFolder()
  const api = await startApp(t)
  await write('people.ndjson', lines([{ ...numberedMember(1), createdAt: '2020-01-01T00:00:00.000Z' }]))
  await write('keys.ndjson', lines([{ keyId: idOf(1) }]))
  for (const args of [
    ['members', 'people.ndjson', '--exact'],
    ['keys', 'keys.ndjson'],
  ]) {
    const { code, err } = await run(['import', ...args, '--url', api.url], url('a.db'))
    assert.deepEqual([code, /does not work with --url\./.test(err)], [2, true], err)
  }
  const left = await run(['import', 'members', 'people.ndjson', '--passwords', 'none'], url('a.db'))
  assert.match(left.err, /^Only --exact copies credential\.passwordHash, createdAt, into a database\.$/m)
})
