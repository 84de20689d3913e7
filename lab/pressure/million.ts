import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { httpClient } from '#lab/histories/client.ts'
import { spreadOf } from '#lab/median.ts'
import { openService } from '#lab/service.ts'
import { migrateAll } from '../../src/app/migrations.ts'
import { increasingIds } from '../../src/core/id.ts'
import { logEntryMaker, serviceActor } from '../../src/ledger/change-log.ts'
import { openDatabase } from '../../src/sql/open.ts'
import { raw } from '../../src/sql/query.ts'
import { openServer, urlOf } from '../../test/postgres-server.ts'

const count = Number(process.env.PRESSURE_CHANGES ?? 1_000_000)
const together = 1_000
const dayMs = 86_400_000
const pageCount = 1_000
const walkedSize = 2_000
const sweepLimitMs = 150_000

const sizes = {
  sqlite: raw('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'),
  postgres: raw("SELECT pg_total_relation_size('change') AS bytes"),
}

/** A log of a million changes: its size, how long a page takes, and how slow other requests are while nearly all of it is swept. */
export const million = async (folder: string) => {
  await measure('SQLite', `sqlite:${join(folder, 'rollcall.db')}`)
  const server = await openServer(join(folder, 'postgres'))
  await measure('PostgreSQL', urlOf(server))
  await server.stop()
}

const measure = async (name: string, databaseUrl: string) => {
  const bytes = await fill(databaseUrl)
  console.log(`${name}: ${Math.round(bytes / count)} bytes a change, of a todo, with its value`)
  await readPages(name, databaseUrl)
  await sweepBeside(name, databaseUrl)
}

/** All but the last thousandth are a month old and more. Returns the bytes of the log. */
const fill = async (databaseUrl: string) => {
  const db = await openDatabase(databaseUrl)
  await migrateAll(db)
  const bytes = async () => Number((await db.read(sizes[db.engine], (row) => row.bytes))[0])
  const before = await bytes()
  const clock = { now: () => Date.now() - 40 * dayMs }
  const newId = increasingIds(clock)
  const makeLogEntry = logEntryMaker({ clock, newId })
  for (let entered = 0; entered < count; entered += together)
    await db.write(async (tx) => {
      for (let at = 0; at < together; at++) {
        const todoId = newId()
        const record = {
          todoId,
          todoTitle: 'a title of some length',
          finished: false,
          createdAt: clock.now(),
        }
        const changed = ['todoTitle', 'finished']
        const change = { type: 'todo.created', subject: todoId, version: 1, changed, record }
        await tx.append(makeLogEntry(change, serviceActor()))
      }
    })
  const all = (await bytes()) - before
  await db.close()
  return all
}

const readPages = async (name: string, databaseUrl: string) => {
  const service = await openService({ databaseUrl, settings: { PAGE_SIZE_MAX: `${walkedSize}` } })
  const client = httpClient(service.url, 60_000)
  const page = async (query: string) => {
    const { body } = await client.ask({ method: 'GET', path: `/api/v1/changes?${query}` })
    return JSON.parse(body) as { cursor: string; more: boolean }
  }
  const cursors: string[] = []
  for (let query = '', more = true; more; query = `&after=${cursors.at(-1)}`) {
    const { cursor, more: isMore } = await page(`size=${walkedSize}${query}`)
    cursors.push(cursor)
    more = isMore
  }
  const ms: number[] = []
  for (let asked = 0; asked < pageCount; asked++) {
    const cursor = cursors[Math.floor(Math.random() * (cursors.length - 1))]
    const startedAtMs = performance.now()
    await page(`size=100&after=${cursor}`)
    ms.push(performance.now() - startedAtMs)
  }
  console.log(`${name}: a page of 100 of ${count} changes: ${spreadOf(ms)}`)
  client.close()
  await service.end('SIGTERM')
}

/** The sweep begins after a minute, and is over when the oldest is the newest. */
const sweepBeside = async (name: string, databaseUrl: string) => {
  const service = await openService({ databaseUrl })
  const client = httpClient(service.url, 60_000)
  const get = (path: string) => client.ask({ method: 'GET', path: `/api/v1${path}` })
  const oldest = async () => {
    const { status, body } = await get('/changes?size=1')
    if (status !== 200) throw new Error(`the oldest change was answered with ${status}: ${body}`)
    return JSON.parse(body).content[0]?.sequence
  }
  const isBeside = async (isSo: (sequence: number) => boolean, limitMs: number) => {
    for (const endMs = performance.now() + limitMs; performance.now() < endMs; await sleep(250))
      if (isSo(Number(await oldest()))) return true
    return false
  }
  await isBeside((sequence) => sequence > 1, sweepLimitMs)
  const startedAtMs = performance.now()
  const times = { reads: [] as number[], writes: [] as number[] }
  const sweeping = new AbortController()
  const ask = async (list: number[], work: () => Promise<unknown>) => {
    while (!sweeping.signal.aborted) {
      const askedAtMs = performance.now()
      await work()
      list.push(performance.now() - askedAtMs)
      await sleep(2)
    }
  }
  const body = { todoTitle: 'beside' }
  const asking = [
    ask(times.reads, () => get('/todos?size=1')),
    ask(times.writes, () => client.ask({ method: 'POST', path: '/api/v1/todos', body })),
  ]
  const isOver = await isBeside((sequence) => sequence >= count, sweepLimitMs)
  sweeping.abort()
  await Promise.all(asking)
  const took = `${isOver ? 'swept' : 'NOT swept'} in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`
  console.log(
    `${name}: ${took}; beside it a read ${spreadOf(times.reads)}, a write ${spreadOf(times.writes)}`,
  )
  client.close()
  await service.end('SIGTERM')
}
