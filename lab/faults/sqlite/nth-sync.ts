import { randomUUID } from 'node:crypto'
import { constants, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type Client, httpClient } from '#lab/histories/client.ts'
import { prefix, type Todo } from '#lab/histories/todos.ts'
import { openService } from '#lab/service.ts'
import { freePort } from '../../../test/free-port.ts'
import { type Fault, rounds } from '../fault.ts'
import { inject, needsStrace } from '../inject.ts'

interface Form {
  readonly error: string
  /** How many write at the same time. */
  readonly writers: number
  readonly nth: number
}

const syncs = 8
const recoveryMs = 20_000

const forms: readonly Form[] = Array.from({ length: syncs }, (_, n) => n + 1).flatMap((nth) =>
  [1, 5].flatMap((writers) => ['EIO', 'ENOSPC'].map((error) => ({ error, writers, nth }))),
)

/** The sync of a commit fails: the first in one run, the second in the next, and so on. So does the first attempt to recover. */
export const nthSync: Fault = {
  name: 'the n-th sync fails',
  engine: 'sqlite',
  promise:
    'Its writes get 503 and are never seen, readiness says why, reads go on; it recovers by itself and nothing acknowledged is lost.',
  unable: needsStrace,
  async run(stage) {
    const file = join(stage.directory, 'rollcall.db')
    const managementPort = await freePort()
    const settings = {
      MANAGEMENT_PORT: String(managementPort),
      // strace counts the calls of each thread by itself, so only one thread may sync.
      UV_THREADPOOL_SIZE: '1',
    }
    const service = await openService({ databaseUrl: `sqlite:${file}`, settings })
    const health = httpClient(`http://127.0.0.1:${managementPort}`)
    const log = witness(httpClient(service.url, 20_000))
    const wal = `${file}-wal`
    const stood = { pid: service.pid, log, health, wal, descriptor: syncedDescriptor(service.pid, wal) }
    await log.writeTogether(1)
    const runs = rounds(stage, forms.length)
    const broken: string[] = []
    const healedMs: number[] = []
    let refused = 0
    let ofSqlite = 0
    for (let run = 0; run < runs; run++) {
      const form = forms[Math.floor((run * forms.length) / runs)] as Form
      const seen = await withFailure(stood, form)
      const { error, writers, nth } = form
      broken.push(...seen.broken.map((what) => `sync ${nth} of ${writers} writers, ${error}: ${what}`))
      healedMs.push(seen.healedMs)
      refused += seen.refused
      if (seen.isOfSqlite) ofSqlite++
      if (!seen.isRecovered) break
      stage.progress((run + 1) / runs)
    }
    broken.push(...(await log.judge()))
    log.close()
    health.close()
    await service.end('SIGKILL')
    const again = await openService({ databaseUrl: `sqlite:${file}` })
    const later = httpClient(again.url)
    broken.push(...(await log.judge(later)).map((what) => `after a restart: ${what}`))
    later.close()
    await again.end('SIGTERM')
    const healed = Math.max(...healedMs)
    return {
      figure: `${runs} failed syncs, ${ofSqlite} of them by SQLite itself: ${refused} writes got 503, ${log.acknowledged()} were acknowledged, ${log.reads()} reads answered, healed after ≤ ${healed} ms, ${broken.length} faults`,
      broken,
      figures: { runs, ofSqlite, refused, acknowledged: log.acknowledged(), healedMs: healed },
    }
  },
}

interface Stood {
  readonly pid: number
  readonly log: Witness
  readonly health: Client
  readonly wal: string
  /** The file descriptor by which the service syncs the log. */
  readonly descriptor: string
}

const withFailure = async (stood: Stood, { error, writers, nth }: Form) => {
  const { pid, log, wal } = stood
  const trace = `${wal}.trace`
  const reader = new AbortController()
  const reading = log.readUntil(reader.signal)
  const injection = await inject(pid, {
    paths: [wal],
    trace,
    failures: [
      { calls: 'fdatasync', error, nth },
      { calls: 'fsync', error, nth: 1 },
    ],
  })
  const refused: RefusedCreate[] = []
  let failed: readonly FailedCall[] = []
  let thread: number | undefined
  for (let n = 0; n < 2 * syncs && thread === undefined; n++) {
    refused.push(...(await log.writeTogether(writers)))
    failed = failedIn(trace)
    thread = failedOn(failed, stood.descriptor)
  }
  const failedAtMs = performance.now()
  const broken = refused.length === 0 ? ['no write was refused'] : []
  // SQLite itself syncs the header of a log that restarts. If that has failed, the first attempt to recover does not.
  const isOfSqlite = failed.some(({ descriptor }) => descriptor !== stood.descriptor)
  if (!isOfSqlite) broken.push(...(await notDown(stood)))
  const waitedMs = () => Math.round(performance.now() - failedAtMs)
  let isRecovered = false
  while (!isRecovered && waitedMs() < recoveryMs) isRecovered = (await ready(stood)).status === 200
  const healedMs = waitedMs()
  await injection.stop()
  if (isRecovered) {
    for (const one of refused) broken.push(...(await log.repeat(one)))
    if ((await log.writeTogether(writers)).length > 0) broken.push('it does not write after it has recovered')
  } else broken.push('it does not recover')
  reader.abort()
  await reading
  broken.push(...log.takeBroken())
  return { broken, healedMs, refused: refused.length, isOfSqlite, isRecovered }
}

const ready = ({ health }: Stood) => health.ask({ method: 'GET', path: '/health/ready' })

/** The first attempt to recover has failed too, and a second is to come. */
const notDown = async (stood: Stood) => {
  const { status, body } = await ready(stood)
  const broken = status === 503 && body.includes('storage') ? [] : [`readiness was ${status} ${body}`]
  const refused = await stood.log.writeTogether(1)
  return refused.length > 0 ? broken : [...broken, 'a write was accepted before it had recovered']
}

/** The thread whose sync of a commit failed. */
const failedOn = (calls: readonly FailedCall[], descriptor: string) =>
  calls.find((one) => one.call === 'fdatasync' && one.descriptor === descriptor)?.thread

interface FailedCall {
  readonly thread: number
  readonly call: string
  readonly descriptor: string
}

const failedIn = (trace: string): readonly FailedCall[] =>
  [...readFileSync(trace, 'utf8').matchAll(/^(\d+) +(\w+)\((\d+)\).*INJECTED/gm)].map(
    ([, thread, call = '', descriptor = '']) => ({ thread: Number(thread), call, descriptor }),
  )

/** The descriptor that only syncs the log; those of SQLite follow no links. */
const syncedDescriptor = (pid: number, wal: string) =>
  readdirSync(`/proc/${pid}/fd`).find((name) => {
    const info = readFileSync(`/proc/${pid}/fdinfo/${name}`, 'utf8')
    const flags = Number.parseInt(/flags:\s*(\d+)/.exec(info)?.[1] ?? '0', 8)
    return readlinkSync(`/proc/${pid}/fd/${name}`) === wal && (flags & constants.O_NOFOLLOW) === 0
  }) ?? ''

interface RefusedCreate {
  readonly title: string
  readonly key: string
}

type Witness = ReturnType<typeof witness>

/** Writes and reads, and knows which titles must be there and which nobody may ever see. Each is used once. */
const witness = (client: Client) => {
  const acknowledged = new Set<string>()
  const refused = new Set<string>()
  const seen = new Set<string>()
  const broken = new Set<string>()
  let count = 0
  let reads = 0
  let lastId = ''

  const post = async (title: string, key: string): Promise<Answer> => {
    const headers = { 'idempotency-key': key }
    const answer = await client.ask({
      method: 'POST',
      path: `${prefix}/todos`,
      body: { todoTitle: title },
      headers,
    })
    if (answer.status === 201) {
      acknowledged.add(title)
      lastId = (JSON.parse(answer.body) as Todo).todoId
    } else refused.add(title)
    if (answer.status !== 201 && (answer.status !== 503 || !answer.headers['retry-after']))
      broken.add(`a write got ${answer.status} ${codeIn(answer)}`)
    return answer
  }

  const titles = async (from: Client, query: string) => {
    const answer = await from.ask({ method: 'GET', path: `${prefix}/todos${query}` })
    if (answer.status !== 200) return answer
    return { ...answer, titles: todosIn(answer).map(({ todoTitle }) => todoTitle) }
  }

  return {
    acknowledged: () => acknowledged.size,
    reads: () => reads,

    /** Returns those that were refused. */
    async writeTogether(writers: number): Promise<readonly RefusedCreate[]> {
      const asked = Array.from({ length: writers }, () => ({ title: `t${++count}`, key: randomUUID() }))
      const answers = await Promise.all(asked.map(({ title, key }) => post(title, key)))
      return asked.filter((_, n) => answers[n]?.status !== 201)
    },

    /** No answer to the refused write may have been kept: with another body, that would be a 422. */
    async repeat({ title, key }: RefusedCreate) {
      const { status } = await post(`${title} again`, key)
      return status === 201 ? [] : [`the repetition of a refused write got ${status}`]
    },

    /** Pages need a scan, which is refused until it has recovered; one record is read as ever. */
    async readUntil(signal: AbortSignal) {
      while (!signal.aborted) {
        const answer = await titles(client, '?size=100&sort=createdAt,desc')
        if ('titles' in answer) for (const title of answer.titles) seen.add(title)
        else if (answer.status !== 503) broken.add(`a page got ${answer.status} ${codeIn(answer)}`)
        const one = await client.ask({ method: 'GET', path: `${prefix}/todos/${lastId}` })
        if (one.status !== 200) broken.add(`a read got ${one.status} ${codeIn(one)}`)
        reads += 2
      }
    },

    close: () => client.close(),

    takeBroken() {
      const taken = [...broken]
      broken.clear()
      return taken
    },

    /** The faults of the values that were read, and of those that are stored now. */
    async judge(from = client) {
      const answer = await titles(from, '')
      if (!('titles' in answer)) return [`the list got ${answer.status} ${codeIn(answer)}`]
      const there = new Set(answer.titles)
      return [
        ...[...acknowledged].filter((title) => !there.has(title)).map((title) => `${title} is lost`),
        ...[...seen].filter((title) => !there.has(title)).map((title) => `${title} was read, and is gone`),
        ...[...refused].filter((title) => seen.has(title)).map((title) => `${title} was refused, and read`),
        ...[...refused]
          .filter((title) => there.has(title))
          .map((title) => `${title} was refused, and is there`),
      ]
    },
  }
}

const codeIn = ({ body }: Answer) => (JSON.parse(body) as { code?: string }).code ?? body.slice(0, 200)

const todosIn = ({ body }: Answer): readonly Todo[] => {
  const content: unknown = JSON.parse(body)
  return Array.isArray(content) ? content : ((content as { items: readonly Todo[] }).items ?? [])
}
