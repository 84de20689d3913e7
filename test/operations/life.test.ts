import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootCauseOf } from '#core/cause.ts'
import { versionAndCommit } from '#src/version.ts'
import { rollcall } from '../cli/warm.ts'
import { freshFolder } from '../fresh-folder.ts'
import { startApp } from '../harness.ts'
import { withoutProgram } from '../needed.ts'
import { john } from '../people.ts'
import { childEnvironment, main, projectRoot } from '../program.ts'
import { type ServiceProcess, sendWithoutBody, serve, spawnService, untilStopping } from './child.ts'

const body = '{"todoTitle":"late"}'

const settings = () => ({
  DATABASE_URL: `sqlite:${join(freshFolder(), 'a.db')}`,
})

test('SIGTERM: readiness turns 503, new requests get Connection: close, and the exit code is 0', async (t) => {
  for (let isTooLate = true; isTooLate; ) {
    const service = await serve(t, { environment: settings() })
    assert.equal((await fetch(`${service.management}/health/ready`)).status, 200)
    const finish = await sendWithoutBody(service, body)
    const startedAt = performance.now()
    service.kill('SIGTERM')
    assert.deepEqual(await untilStopping(service), { status: 'down', reasons: ['draining'] })
    const answer = await fetch(`${service.url}/api/v1/todos`).catch(() => undefined)
    // The listener closes after 750 ms, so a slower test shows nothing.
    isTooLate = answer === undefined && performance.now() - startedAt > 500
    if (!isTooLate) assert.deepEqual([answer?.status, answer?.headers.get('connection')], [200, 'close'])
    assert.match(await finish(), /^HTTP\/1.1 201 [\s\S]*^connection: close\r$/im)
    assert.deepEqual(await service.exit, { code: 0, signal: null })
  }
})

test('SIGTERM: a request half sent when the listener closes is still answered', async (t) => {
  const service = await serve(t, { environment: settings() })
  const finish = await sendWithoutBody(service, body)
  service.kill('SIGTERM')
  let refusal: unknown
  while (!refusal)
    await fetch(`${service.url}/api/v1/todos`).then(
      () => sleep(20),
      (error) => {
        refusal = error
      },
    )
  assert.match(rootCauseOf(refusal), /ECONNREFUSED/)
  assert.match(await finish(), /^HTTP\/1.1 201 /)
  assert.deepEqual(await service.exit, { code: 0, signal: null })
})

test('a request that never ends does not block the shutdown', async (t) => {
  const service = await serve(t, { environment: settings() })
  await sendWithoutBody(service, body)
  const startedAt = performance.now()
  service.kill('SIGTERM')
  assert.deepEqual(await service.exit, { code: 0, signal: null })
  const takenMs = performance.now() - startedAt
  // The limit is ten seconds; a busy machine may take longer.
  assert.ok(takenMs < 30_000, `${takenMs} ms`)
})

test('SIGHUP rereads only the log level and the refused passwords; start, reload and end are logged', async (t) => {
  const folder = freshFolder()
  const [file, list, path] = ['settings', 'refused', 'log'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const lines = (...more: string[]) => writeFile(file, [`REFUSED_PASSWORDS=${list}`, ...more].join('\n'))
  await lines('PAGE_SIZE_MAX=2')
  await writeFile(list, 'password1')
  const log = await open(path, 'w')
  t.after(() => log.close())
  const environment = { ...settings(), SETTINGS_FILE: file, LOG_FORMAT: 'json' }
  const service = await serve(t, { environment, log: log.fd })
  await lines('PAGE_SIZE_MAX=7', 'LOG_LEVEL=debug')
  await writeFile(list, 'password2')
  service.kill('SIGHUP')
  const done =
    'certificate and refused passwords read again, LOG_LEVEL=debug. All other settings are in force only after a restart.'
  await untilReported(service, `rollcall: ${done}\n`)
  const page = await fetch(`${service.url}/api/v1/todos?size=50`)
  assert.equal(((await page.json()) as { size: number }).size, 2)
  const status = async (password: string) => {
    const body = JSON.stringify({ ...john, credential: { signId: password, password } })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${service.url}/api/v1/members`, { method: 'POST', headers, body })).status
  }
  assert.deepEqual([await status('password1'), await status('password2')], [201, 400])
  const refusals = [
    'PAGE_SIZE_MAX must be a number from 1 to 2000, not "none".',
    `SETTINGS_FILE: line 2 of ${file} is neither NAME=value nor a comment.`,
  ]
  for (const [index, line] of ['PAGE_SIZE_MAX=none', 'LOG_LEVEL: silent'].entries()) {
    await lines(line)
    service.kill('SIGHUP')
    await untilReported(service, `rollcall: nothing changed. ${refusals[index]}\n`)
  }
  service.kill('SIGTERM')
  await service.exit
  const logged = (await readFile(path, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const ways = logged.filter(({ msg }) => /^(?:started|stopping|ended)$/.test(msg))
  assert.deepEqual(
    ways.map(({ msg, version, commit, signal }) => [msg, version ? `${version} (${commit})` : signal]),
    [
      ['started', versionAndCommit()],
      ['stopping', 'SIGTERM'],
      ['ended', undefined],
    ],
  )
  assert.deepEqual(
    logged.flatMap(({ level, msg = '' }) =>
      /^(certificate|nothing changed)/.test(msg) ? [[level, msg]] : [],
    ),
    [['info', done], ...refusals.map((why) => ['error', `nothing changed. ${why}`])],
  )
})

/** Starts the service, which waits until a writer has written to the pipe and closed it. */
const startHeld = async (t: TestContext, file: string) => {
  const pipe = join(freshFolder(), 'refused')
  execFileSync('mkfifo', [pipe])
  await writeFile(file, `PAGE_SIZE_MAX=2\nREFUSED_PASSWORDS=${pipe}\n`)
  const held = spawnService({ environment: { ...settings(), SETTINGS_FILE: file } })
  t.after(() => held.child.kill('SIGKILL'))
  return { ...held, pipe, passwords: await open(pipe, 'w') }
}

test('SIGTERM or SIGINT during startup exits with 0', async (t) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, exit, passwords } = await startHeld(t, join(freshFolder(), 'settings'))
    child.kill(signal)
    await sleep(100)
    await passwords.close()
    assert.deepEqual(await exit, { code: 0, signal: null }, signal)
  }
})

test('a SIGHUP during startup takes effect when the service is up', async (t) => {
  const { child, pipe, passwords, err } = await startHeld(t, join(freshFolder(), 'settings'))
  child.kill('SIGHUP')
  await becomeFile(pipe)
  await passwords.writeFile('password1\n')
  await passwords.close()
  await untilReported({ err }, 'refused passwords read again')
})

/** Replaces a pipe by a file, which can be read to its end. */
const becomeFile = async (pipe: string) => {
  await rm(pipe)
  await writeFile(pipe, 'password2\n')
}

test('a service whose standard error has lost its reader keeps running, even after a signal', async (t) => {
  const service = await serve(t, { environment: settings() })
  service.stopReadingErrors()
  for (let round = 0; round < 2; round++) {
    service.kill('SIGHUP')
    await sleep(300)
    assert.equal((await fetch(`${service.url}/api/v1/todos`)).status, 200)
  }
  service.kill('SIGTERM')
  assert.deepEqual(await service.exit, { code: 0, signal: null })
})

test('SIGHUP at a terminal reloads; once the terminal is closed, it ends the service', {
  skip: withoutProgram('script'),
}, async (t) => {
  const folder = freshFolder()
  const [out, file] = ['log', 'pid'].map((name) => join(folder, name)) as [string, string]
  const command = `echo $$ >${file}; exec ${process.execPath} ${main} serve >${out}`
  const environment = {
    ...childEnvironment,
    ...settings(),
    PORT: '0',
    MANAGEMENT_PORT: '0',
    LOG_FORMAT: 'json',
  }
  const terminal = spawn('script', ['-qfc', command, '/dev/null'], {
    env: { ...environment, SHELL: '/bin/sh' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  t.after(() => terminal.kill('SIGKILL'))
  await untilWritten(out, '"started"')
  const pid = Number(await readFile(file, 'utf8'))
  t.after(() => isRunning(pid) && process.kill(pid, 'SIGKILL'))
  process.kill(pid, 'SIGHUP')
  await untilWritten(out, 'read again')
  terminal.kill('SIGKILL')
  await untilWritten(out, '"stopping"')
  while (isRunning(pid)) await sleep(20)
})

const untilWritten = async (file: string, words: string) => {
  while (!(await readFile(file, 'utf8').catch(() => '')).includes(words)) await sleep(20)
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('SIGHUP changes nothing if SETTINGS_FILE is a pipe, which cannot be read again', async (t) => {
  const pipe = join(freshFolder(), 'settings')
  execFileSync('mkfifo', [pipe])
  const written = writeFile(pipe, 'PAGE_SIZE_MAX=2\n')
  const service = await serve(t, { environment: { ...settings(), SETTINGS_FILE: pipe } })
  await written
  service.kill('SIGHUP')
  await untilReported(service, 'nothing changed. SETTINGS_FILE is not a file that can be read again.')
})

test('a SIGHUP waits for the previous one, and the last settings read are in force', async (t) => {
  const folder = freshFolder()
  const [file, list] = [join(folder, 'settings'), join(folder, 'refused')]
  await writeFile(list, 'password1\n')
  await writeFile(file, `REFUSED_PASSWORDS=${list}\n`)
  const service = await serve(t, { environment: { ...settings(), SETTINGS_FILE: file } })
  await rm(list)
  execFileSync('mkfifo', [list])
  await writeFile(file, `REFUSED_PASSWORDS=${list}\nLOG_LEVEL=debug\n`)
  service.kill('SIGHUP')
  // The pipe opens once the service opens it; the service reads until it is closed.
  const passwords = await open(list, 'w')
  await writeFile(file, `REFUSED_PASSWORDS=${list}\nLOG_LEVEL=warn\n`)
  await becomeFile(list)
  service.kill('SIGHUP')
  await passwords.writeFile('password1\n')
  await passwords.close()
  await untilReported(service, 'LOG_LEVEL=warn.')
  assert.match(service.err(), /LOG_LEVEL=debug\.[\s\S]*LOG_LEVEL=warn\./)
})

test('wrong usage exits with 2 and one sentence, unusable data with 3', async (t) => {
  const folder = freshFolder()
  const service = await serve(t, { environment: { DATABASE_URL: `sqlite:${folder}/locked.db` } })
  await writeFile(join(folder, 'text.db'), 'This is a letter to my aunt, and no database at all. '.repeat(99))
  await writeFile(join(folder, 'empty.db'), '')
  const table: readonly [readonly string[], Record<string, string>, number, RegExp][] = [
    [['serve', '--bogus'], {}, 2, /^rollcall: unknown option '--bogus'\n$/],
    [['serve', 'more'], {}, 2, /^rollcall: too many arguments/],
    [['serve'], { PORT: 'abc' }, 2, /^rollcall: PORT must be a port from 0 to 65535, not "abc"\.\n$/],
    [['serve'], { SETTINGS_FILE: join(folder, 'none') }, 2, /^rollcall: SETTINGS_FILE cannot be read/],
    [
      ['serve', '--port', new URL(service.url).port],
      { DATABASE_URL: `sqlite:${folder}/b.db` },
      2,
      /^rollcall: Cannot listen on 127\.0\.0\.1:\d+, set by HOST and PORT: another program is listening there\.\n$/,
    ],
    [['serve'], { DATABASE_URL: `sqlite:${folder}/locked.db` }, 3, /is in use by another process/],
    [['serve'], { DATABASE_URL: `sqlite:${folder}/text.db` }, 3, /is not a SQLite database/],
    [['serve'], { DATABASE_URL: `sqlite:${folder}/empty.db` }, 3, /has no bytes at all/],
    [['serve', '--help'], {}, 0, /^$/],
    [['--version'], {}, 0, /^$/],
  ]
  for (const [args, environment, code, words] of table) {
    const ended = await rollcall(args, { environment: { PORT: '0', MANAGEMENT_PORT: '0', ...environment } })
    assert.equal(ended.code, code, `${args} ${ended.err}`)
    assert.match(ended.err, words)
  }
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('b.db')),
    [],
    'a start that cannot listen makes no database',
  )
})

test('at the start the service prints where the console, the API and the data are, and who may call it', async (t) => {
  const environment = settings()
  const { url, management, err } = await serve(t, { environment })
  const [words = '', ...lines] = err().trimEnd().split('\n')
  assert.match(words, /^Rollcall \S+( \(\w+\))? keeps members and todos\. It is up\.$/)
  assert.deepEqual(lines, [
    `  Console   ${management}`,
    `  API       ${url}/api/v1`,
    `  Data      ${environment.DATABASE_URL}`,
    '  Open to   anyone on this machine, without signing in (ACCESS=open)',
  ])
})

test('at the start the service prints the names of the declared resources', async (t) => {
  const RESOURCES = join(projectRoot, 'test/resources/loan.ts')
  const { err } = await serve(t, { environment: { ...settings(), RESOURCES } })
  assert.match(err(), /^Rollcall .* keeps members, todos, loans and group\. It is up\.$/m)
})

test('the first start logs all migrations in one line, each with its time', async (t) => {
  const api = await startApp(t, settings())
  const [created] = api.log
  assert.match(String(created?.msg), /^created the tables: [1-9]\d+ migrations in \d+ ms$/)
  const [name, ms] = Object.entries(created?.migrations ?? {})[0] ?? []
  assert.equal(name, 'ledger/001-ledger')
  assert.ok(Number.isInteger(ms))
  assert.deepEqual(
    api.log.filter(({ migration }) => migration !== undefined),
    [],
  )
})

test('a start on an older database logs each migration with its time, and the next start logs none', async (t) => {
  const environment = settings()
  await (await startApp(t, environment)).close()
  const db = new DatabaseSync(environment.DATABASE_URL.slice('sqlite:'.length))
  db.exec("DELETE FROM migration WHERE room = 'todo' AND name = '003-open-first'")
  db.close()
  const older = await startApp(t, environment)
  const migrated = older.log.filter(({ migration }) => migration !== undefined)
  assert.deepEqual(
    migrated.map(({ migration, msg, level }) => ({ migration, msg, level })),
    [
      {
        migration: 'todo/003-open-first',
        msg: `migrated todo/003-open-first in ${migrated[0]?.ms} ms`,
        level: 'info',
      },
    ],
  )
  assert.ok(Number.isInteger(migrated[0]?.ms))
  await older.close()
  const again = await startApp(t, environment)
  assert.deepEqual(
    again.log.filter(({ migration, migrations }) => (migration ?? migrations) !== undefined),
    [],
  )
})

const untilReported = async (service: Pick<ServiceProcess, 'err'>, words: string) => {
  for (let tries = 0; tries < 1_000 && !service.err().includes(words); tries++) await sleep(50)
  assert.ok(service.err().includes(words), service.err())
}
