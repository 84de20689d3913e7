import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sqlitePathOf } from '#sql/open.ts'
import { asRoot, basic, enrol, fieldOf, startBasic, stoppedClock } from '../access/callers.ts'
import { rollcall } from '../cli/warm.ts'
import { databases } from '../engines.ts'
import { freePort } from '../free-port.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Api, startApp } from '../harness.ts'
import { openStream } from '../open-stream.ts'
import { administer, noPostgres, startServer } from '../postgres.ts'
import { startReceiver } from '../receiver.ts'
import { noSmallDisk, resize, smallDisk } from '../small-disk.ts'
import { until } from '../sql/suite/things.ts'
import { addTodos, createWebhook, startWithWebhooks } from '../webhooks.ts'

const dayMs = 86_400_000
const taskPeriodMs = 10

/** A clock and an uptime that advance together, as on a machine whose clock nobody sets. */
const passingTime = (from: number) => {
  const clock = stoppedClock(from)
  const uptimeMs = () => clock.now() - from
  return { clock, uptimeMs, taskPeriodMs }
}

/** Runs a statement without the service, as soon as the service leaves the file free. */
const runOutsideService = async (url: string, statement: string): Promise<readonly unknown[]> => {
  const path = sqlitePathOf(url)
  if (path === undefined) return administer(url, statement)
  let rows: readonly unknown[] = []
  await until(() => {
    const file = new DatabaseSync(path)
    try {
      rows = file.prepare(statement).all()
      return true
    } catch (error) {
      if (/is locked$/.test(String(error))) return false
      throw error
    } finally {
      file.close()
    }
  })
  return rows
}

interface Ready {
  readonly httpStatus: number
  readonly status: string
  readonly failing: readonly string[]
}

const readiness = async ({ management }: Pick<Api, 'management'>): Promise<Ready> => {
  const answer = await fetch(`${management}/health/ready`)
  const shown = (await answer.json()) as Omit<Ready, 'httpStatus'>
  return { httpStatus: answer.status, ...shown, failing: shown.failing ?? [] }
}

const fails = async (api: Api, task: string) => (await readiness(api)).failing.includes(task)

const failures = async ({ management }: Api): Promise<Readonly<Record<string, number>>> => {
  const text = await (await fetch(`${management}/metrics`)).text()
  const lines = text.matchAll(/^rollcall_task_failures_total\{task="([\w ]+)"\} (\d+)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', count]) => [name, Number(count)]))
}

/** Leaves a row of each kind that expires. */
const leaveTraces = async (api: Api) => {
  const ann = await enrol(api, 'ann')
  await api('POST /tokens', undefined, ann.headers)
  assert.equal((await api('DELETE /tokens', undefined, ann.headers)).status, 204)
  assert.equal((await api('GET /todos', undefined, basic('ann', 'wrong'))).status, 401)
  const keyed = { ...asRoot, 'Idempotency-Key': 'a key' }
  assert.equal((await api('POST /todos', { todoTitle: 'a' }, keyed)).status, 201)
  const file = await api('POST /todos/imports', 'todoTitle\nb\n', { ...asRoot, 'Content-Type': 'text/csv' })
  assert.equal(file.status, 201, file.text)
  const read = () => api(`GET /imports/${fieldOf(file, 'importId')}`, undefined, asRoot)
  await until(async () => fieldOf(await read(), 'state') === 'ready')
}

const swept = ['token_end', 'login_failure', 'kept_answer', 'import_job']

const skip = await noPostgres()

for (const { name, url, skip } of databases) {
  const countIn = async (at: string, table: string) => {
    const [row] = await runOutsideService(at, `SELECT count(*) AS count FROM ${table}`)
    return Number((row as { count: unknown }).count)
  }

  test(`${name}: under basic access every expired row is swept, and no task fails`, { skip }, async (t) => {
    const DATABASE_URL = await url(t)
    const time = passingTime(Date.now() - 40 * dayMs)
    const api = await startBasic(t, { DATABASE_URL, RATE_LIMIT: '1000/60s' }, time)
    await leaveTraces(api)
    const tables = name === 'SQLite' ? swept : [...swept, 'allowance']
    for (const table of tables) assert.ok((await countIn(DATABASE_URL, table)) > 0, table)
    await until(async () => (await countIn(DATABASE_URL, 'change_mark')) > 0)
    assert.ok((await countIn(DATABASE_URL, 'change')) > 1)
    time.clock.pass(40 * dayMs)
    for (const table of tables) await until(async () => (await countIn(DATABASE_URL, table)) === 0)
    await until(async () => (await countIn(DATABASE_URL, 'change')) === 1)
    const { clock: _, ...others } = await failures(api)
    const sweeps = Object.entries(others).filter(([task]) => task.startsWith('sweep '))
    assert.deepEqual(
      sweeps.map(([, count]) => count),
      [...tables, 'change'].map(() => 0),
    )
  })

  test(`${name}: a failing task is logged, counted and reported, and stops neither requests nor other tasks`, {
    skip,
  }, async (t) => {
    const [DATABASE_URL, MANAGEMENT_PORT] = [await url(t), String(await freePort())]
    const time = passingTime(Date.now() - dayMs)
    const api = await startBasic(t, { DATABASE_URL, MANAGEMENT_PORT }, time)
    await leaveTraces(api)
    await runOutsideService(DATABASE_URL, 'ALTER TABLE kept_answer RENAME TO moved_away')
    time.clock.pass(dayMs)
    await until(() => fails(api, 'sweep answers'))
    const { httpStatus, status } = await readiness(api)
    assert.deepEqual([httpStatus, status], [200, 'up'])
    for (const table of ['token_end', 'login_failure'])
      await until(async () => (await countIn(DATABASE_URL, table)) === 0)
    assert.ok(((await failures(api))['sweep answers'] ?? 0) > 0)
    assert.ok(api.log.some(({ msg, task, err }) => msg === 'task failed' && task === 'sweep answers' && err))
    const environment = { DATABASE_URL, MANAGEMENT_PORT, PORT: '0' }
    const doctor = async () => {
      const { out } = await rollcall(['doctor', '--json'], { environment })
      return (JSON.parse(out) as { check: string; verdict: string; says: string }[]).find(
        ({ check }) => check === 'tasks',
      )
    }
    const found = await doctor()
    assert.equal(found?.verdict, 'look')
    assert.match(
      found.says,
      /^failing in the running service: (?:clock, )?sweep answers\b.*; its log says why$/,
    )
    await runOutsideService(DATABASE_URL, 'ALTER TABLE moved_away RENAME TO kept_answer')
    await until(async () => !(await fails(api, 'sweep answers')))
    assert.ok(api.log.some(({ msg, task }) => msg === 'task works again' && task === 'sweep answers'))
    assert.doesNotMatch((await doctor())?.says ?? '', /sweep answers/)
  })

  test(`${name}: deliveries that fail because of an error of the service are reported, and continue once it is fixed`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    const api = await startWithWebhooks(t, { DATABASE_URL })
    const receiver = await startReceiver(t)
    await createWebhook(api, receiver.url)
    await until(() => receiver.received.length === 1)
    await runOutsideService(DATABASE_URL, 'ALTER TABLE webhook_place RENAME TO moved_away')
    await addTodos(api, 'a')
    await until(() => fails(api, 'webhooks'))
    await runOutsideService(DATABASE_URL, 'ALTER TABLE moved_away RENAME TO webhook_place')
    await addTodos(api, 'b')
    // A delivery whose position could not be stored is repeated.
    await until(() => new Set(receiver.received.map(({ id }) => id)).size === 3)
    await until(async () => !(await fails(api, 'webhooks')))
    assert.ok(((await failures(api)).webhooks ?? 0) > 0)
  })
}

test('SQLite: setting the clock deletes nothing, and is reported', async (t) => {
  const DATABASE_URL = `sqlite:${join(freshFolder(), 'a.db')}`
  const clock = stoppedClock()
  const api = await startBasic(t, { DATABASE_URL }, { clock, uptimeMs: () => 0, taskPeriodMs })
  await leaveTraces(api)
  const rows = () =>
    Promise.all(
      ['change', ...swept].map((table) => runOutsideService(DATABASE_URL, `SELECT * FROM ${table}`)),
    )
  const before = await rows()
  clock.pass(400 * dayMs)
  await until(async () => ((await failures(api)).clock ?? 0) > 0)
  await pastSweeps(api)
  assert.deepEqual(await rows(), before)
  assert.ok(
    api.log.some(({ task, err }) => task === 'clock' && /set by 34560000\.0 s/.test(JSON.stringify(err))),
  )
})

/** Waits until each task has run several more times. */
const pastSweeps = async (api: Api) => {
  for (let looks = 0; looks < 10; looks++) await until(async () => (await readiness(api)).httpStatus === 200)
  await new Promise((resolve) => setTimeout(resolve, 10 * taskPeriodMs))
}

test('PostgreSQL: an instance whose clock is ahead deletes nothing, and reports its wrong clock', {
  skip,
}, async (t) => {
  const DATABASE_URL = (await databases[1]?.url(t)) ?? ''
  const settings = { DATABASE_URL, RATE_LIMIT: '1000/60s', CHANGES_KEEP: '1d' }
  const api = await startBasic(t, settings)
  const token = fieldOf(await api('POST /tokens', undefined, asRoot), 'token')
  await leaveTraces(api)
  assert.equal((await api('DELETE /tokens', undefined, asRoot)).status, 204)
  const tables = ['change', 'allowance', ...swept]
  const rows = () =>
    Promise.all(tables.map((table) => runOutsideService(DATABASE_URL, `SELECT * FROM ${table}`)))
  const before = await rows()
  const clock = { now: () => Date.now() + 40 * dayMs }
  const other = await startBasic(t, settings, { clock, taskPeriodMs })
  await until(() => fails(other, 'clock'))
  await pastSweeps(other)
  const after = await rows()
  assert.deepEqual(after, before)
  assert.equal((await api('GET /todos', undefined, { authorization: `Bearer ${token}` })).status, 401)
  const { clock: count = 0, ...others } = await failures(other)
  assert.ok(count > 0)
  assert.deepEqual([...new Set(Object.values(others))], [0])
  assert.equal(await fails(api, 'clock'), false)
})

// SQLite is not tested: it caches its last read until it writes.
test('PostgreSQL: if the log cannot be read while a reader waits for changes, the task `feed` is reported as failing', {
  skip,
}, async (t) => {
  const DATABASE_URL = (await databases[1]?.url(t)) ?? ''
  const api = await startApp(t, { DATABASE_URL })
  const stream = await openStream(api, '/changes')
  await runOutsideService(DATABASE_URL, 'ALTER TABLE change RENAME TO moved_away')
  await until(() => fails(api, 'feed'))
  assert.ok(api.log.some(({ msg, task, err }) => msg === 'task failed' && task === 'feed' && err))
  await runOutsideService(DATABASE_URL, 'ALTER TABLE moved_away RENAME TO change')
  await until(async () => !(await fails(api, 'feed')))
  stream.close()
})

test('PostgreSQL: a lost connection for notifications is reported until it is restored', {
  skip,
}, async (t) => {
  const server = await startServer()
  t.after(server.stop)
  const api = await startBasic(t, { DATABASE_URL: server.url })
  await server.stop()
  await until(() => fails(api, 'listen'))
  await server.start()
  await until(async () => (await readiness(api)).httpStatus === 200 && !(await fails(api, 'listen')))
  assert.ok(((await failures(api)).listen ?? 0) > 0)
})

test('SQLite: checkpoints that fail because the file cannot grow are reported', {
  skip: noSmallDisk,
}, async (t) => {
  const disk = smallDisk(t, freshFolder(), '4m')
  const api = await startApp(t, { DATABASE_URL: `sqlite:${join(disk, 'a.db')}` })
  const isTaken = async () => (await addMany(api)) === 200
  while (await isTaken());
  await until(async () => {
    await isTaken()
    return fails(api, 'checkpoint')
  })
  resize(disk, '64m')
  await until(async () => {
    await isTaken()
    return !(await fails(api, 'checkpoint'))
  })
  assert.ok(((await failures(api)).checkpoint ?? 0) > 0)
})

const addMany = async (api: Api) => {
  const operation = { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'x' } }
  return (await api('POST /batch', { atomic: true, operations: Array(100).fill(operation) })).status
}
