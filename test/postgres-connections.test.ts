import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Engine } from '#sql/engine.ts'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { freePort } from './free-port.ts'
import { freshFolder } from './fresh-folder.ts'
import { startApp } from './harness.ts'
import { withoutProgram } from './needed.ts'
import { administer, noPostgres } from './postgres.ts'
import { ownServer, until } from './postgres-notes.ts'

const skip = await noPostgres()

/** A role that may have so many connections, and a database of its own. */
const limitedTo = async (t: TestContext, count: number) => {
  const { url } = await ownServer(t)
  await administer(url, `CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT ${count}`)
  await administer(url, 'CREATE DATABASE few OWNER few')
  const own = url.replace('postgres:test@', 'few:few@').replace(/postgres$/, 'few')
  return { url, own, allow: (more: number) => administer(url, `ALTER ROLE few CONNECTION LIMIT ${more}`) }
}

const administrator = { Authorization: `Basic ${Buffer.from('root:rootroot').toString('base64')}` }

const basic = { ACCESS: 'basic', ADMIN_SIGN_ID: 'root', ADMIN_PASSWORD: 'rootroot' }

/** Creates and reads many todos at once. Each request must succeed; on a busy machine a request that waited too long is repeated. */
const useMany = async (api: Awaited<ReturnType<typeof startApp>>) => {
  const statusOf = async (call: string, body?: object): Promise<number> => {
    const { status } = await api(call, body, administrator)
    if (status !== 503) return status
    await sleep(100)
    return statusOf(call, body)
  }
  const one = async (number: number) => [
    await statusOf('POST /todos', { todoTitle: `${number}` }),
    await statusOf('GET /todos?size=3'),
  ]
  const answers = await Promise.all(Array.from({ length: 12 }, (_, number) => one(number)))
  assert.deepEqual(
    answers.filter(([created, listed]) => created !== 201 || listed !== 200),
    [],
  )
}

const sessionsOf = async ({ management }: { management: string }) => {
  const metrics = await (await fetch(`${management}/metrics`)).text()
  return Number(/^rollcall_pool_limit\{pool="sessions"\} (\d+)/m.exec(metrics)?.[1])
}

describe('A service that gets fewer connections to PostgreSQL than it asks for', { skip }, () => {
  for (const count of [1, 3])
    test(`does everything with ${count}`, async (t) => {
      const { own } = await limitedTo(t, count)
      const api = await startApp(t, { DATABASE_URL: own, ...basic })
      await useMany(api)
      assert.equal((await fetch(`${api.management}/health/ready`)).status, 200)
      assert.ok((await sessionsOf(api)) <= count)
    })

  test('does not start without any', async (t) => {
    const { own } = await limitedTo(t, 0)
    await assert.rejects(startApp(t, { DATABASE_URL: own }), {
      name: 'DataUnusable',
      message: /cannot be used: too many connections for role "few"$/,
    })
  })

  test('opens more connections as soon as the server has more', async (t) => {
    const { own, allow } = await limitedTo(t, 1)
    const database = await openDatabase(own, { limits: { shortageMs: 300, waitMs: 30_000 } })
    t.after(() => database.close())
    const sleepers = () =>
      Promise.all(
        Array.from({ length: 4 }, () => database.scan(raw('SELECT pg_sleep(0.3)'), () => undefined)),
      )
    await sleepers()
    await allow(-1)
    await until(async () => {
      const startedAtMs = performance.now()
      await sleepers()
      return performance.now() - startedAtMs < 600
    })
  })

  for (const pool of [4, 10])
    test(`has at most ${pool} connections if DATABASE_POOL says so`, async (t) => {
      const { url, own } = await limitedTo(t, -1)
      const api = await startApp(t, { DATABASE_URL: own, DATABASE_POOL: String(pool), ...basic })
      await useMany(api)
      const [row] = await administer(url, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'few'")
      assert.ok(Number(row?.count) <= pool, `${row?.count} of ${pool}`)
      assert.equal(await sessionsOf(api), pool < 8 ? pool - 2 : pool - 3)
    })
})

/** The URL of a server behind pgbouncer. */
const behindPooler = async (t: TestContext, settings: string) => {
  const { port } = await ownServer(t)
  const [folder, own] = [freshFolder(), await freePort()]
  const file = join(folder, 'pgbouncer.ini')
  const lines = [
    `[databases]\n* = host=127.0.0.1 port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}`,
    `unix_socket_dir =\nauth_type = trust\nauth_file = ${folder}/users\n${settings}`,
  ]
  writeFileSync(file, lines.join('\n'))
  writeFileSync(join(folder, 'users'), '"postgres" "test"\n')
  chmodSync(folder, 0o755)
  for (const path of [file, join(folder, 'users')]) chmodSync(path, 0o644)
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn('pgbouncer', [file], { stdio: 'ignore', ...identity })
  t.after(async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const url = `postgres://postgres@127.0.0.1:${own}/postgres`
  await until(() =>
    administer(url, 'SELECT 1').then(
      () => true,
      () => sleep(50).then(() => false),
    ),
  )
  return url
}

describe('PostgreSQL behind pgbouncer', { skip: skip || withoutProgram('pgbouncer') }, () => {
  test('is used in session mode, also if it has fewer connections', async (t) => {
    const url = await behindPooler(t, 'pool_mode = session\ndefault_pool_size = 4')
    const api = await startApp(t, { DATABASE_URL: url, ...basic })
    await useMany(api)
    assert.ok((await sessionsOf(api)) <= 4)
  })

  test('delivers notifications of other sessions, in session mode', async (t) => {
    const url = await behindPooler(t, 'pool_mode = session')
    const [one, other] = (await Promise.all([openDatabase(url), openDatabase(url)])) as [Engine, Engine]
    t.after(() => Promise.all([one.close(), other.close()]))
    const heard: string[] = []
    await one.listen('notes', { onPayload: (note) => heard.push(note), onLoss: () => undefined })
    await other.write((tx) => tx.publish('notes', 'a'))
    await until(() => heard.length > 0)
    assert.deepEqual(heard, ['a'])
  })

  for (const mode of ['transaction', 'statement'])
    test(`is refused in ${mode} mode, and the refused start leaves no setting behind in shared sessions`, async (t) => {
      const url = await behindPooler(t, `pool_mode = ${mode}`)
      await assert.rejects(openDatabase(url), {
        name: 'DataUnusable',
        message: /a pooler that shares connections by transaction or statement: set pool_mode = session/,
      })
      const [row] = await administer(url, 'SHOW default_transaction_read_only')
      assert.equal(row?.default_transaction_read_only, 'off')
    })

  for (const [servers, clients, busyMs, starts] of [
    [1, 1, 600, 1],
    [10, 20, 5, 25],
  ] as const)
    test(`is refused in transaction mode beside ${clients} busy clients of ${servers} connections`, async (t) => {
      const url = await behindPooler(t, `pool_mode = transaction\ndefault_pool_size = ${servers}`)
      let isOver = false
      const load = Array.from({ length: clients }, async () => {
        const client = postgres(url, { max: 1, prepare: false, fetch_types: false })
        while (!isOver) await client.unsafe(`SELECT pg_sleep(${busyMs / 1_000})`)
        await client.end()
      })
      try {
        for (let start = 0; start < starts; start++)
          await assert.rejects(openDatabase(`${url}?connect_timeout=30`), {
            message: /set pool_mode = session/,
          })
      } finally {
        isOver = true
        await Promise.all(load)
      }
    })
})
