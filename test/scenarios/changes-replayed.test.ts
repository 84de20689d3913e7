import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Rollcall, rollcall, unwrap, type Version } from '#client/index.ts'
import type { Change, Todo } from '#client/types.ts'
import { databases } from '../engines.ts'
import { type Api, startApp } from '../harness.ts'

const writers = 8

/** How long the writers write. On a busy machine they go on until each has written the minimum. */
const writingMs = 3_000
const fewest = 20

/** An acknowledged write. */
interface Acknowledged {
  readonly type: string
  readonly subject: string
  /** The last number in the log right after the write. */
  readonly logged: number
}

/** Writes to random todos, which others write to as well, until the time is up. */
const write = async (client: Rollcall, ids: string[], untilMs: number) => {
  const done: Acknowledged[] = []
  const acknowledged = async (type: string, subject: string) => {
    // Asks only now and then, because that takes as long as a write.
    const logged = Math.random() < 0.1 ? await lastOf(client, subject) : 0
    done.push({ type, subject, logged })
  }
  while (performance.now() < untilMs || done.length < fewest) {
    const id = ids[Math.floor(Math.random() * ids.length)]
    const chance = Math.random()
    if (id === undefined || chance < 0.3) {
      const { value } = unwrap(await client.todos.create({ todoTitle: 'x' }))
      ids.push(value.todoId)
      await acknowledged('todo.created', value.todoId)
    } else if (chance < 0.45) {
      const { ok } = await client.todos.remove(id)
      if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
      if (ok) await acknowledged('todo.deleted', id)
    } else {
      // No other write uses this title, so it is always a change.
      const todoTitle = `${Math.random()}`.slice(0, 30)
      const { ok } = await client.todos.patch(id, { todoTitle })
      if (ok) await acknowledged('todo.updated', id)
    }
  }
  return done
}

const lastOf = async ({ changes }: Rollcall, id: string) => {
  const page = unwrap(await changes.list({ id, size: 100 })).value
  return Number(page.content.at(-1)?.sequence ?? 0)
}

/** Reads a stream up to this number. Now and then the stream is cut and resumed. */
const streamed = async (api: Api, end: Promise<number>) => {
  const seen: number[] = []
  const bookmarked: number[] = []
  let last = Number.POSITIVE_INFINITY
  void end.then((number) => {
    last = number
  })
  let lastId = ''
  while ((seen.at(-1) ?? 0) < last) {
    const response = await fetch(`${api.url}/api/v1/changes`, {
      headers: { Accept: 'text/event-stream', ...(lastId && { 'Last-Event-ID': lastId }) },
    })
    assert.equal(response.status, 200)
    let events = 0
    let text = ''
    const most = 1 + Math.floor(Math.random() * 200)
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const whole = (text + piece).split('\n\n')
      text = whole.pop() ?? ''
      for (const event of whole.slice(0, most - events)) {
        lastId = /^id: (\S+)/.exec(event)?.[1] ?? lastId
        const number = /"sequence":"(\d+)"/.exec(event)?.[1]
        if (number !== undefined) seen.push(Number(number))
        if (/^event: bookmark$/m.test(event)) bookmarked.push(seen.at(-1) ?? 0)
      }
      events += whole.length
      if (events >= most || (seen.at(-1) ?? 0) >= last) break
    }
  }
  assert.ok(bookmarked.length > 0)
  return seen
}

/** Reads pages of random size, each from the cursor of the previous one, on alternating instances. */
const paged = async (clients: readonly Rollcall[], over: Promise<void>, types?: readonly string[]) => {
  const seen: Change[] = []
  let isOver = false
  void over.then(() => {
    isOver = true
  })
  let after: string | undefined
  for (let turn = 0; ; turn++) {
    const isLast = isOver
    const client = clients[turn % clients.length] as Rollcall
    const size = 1 + Math.floor(Math.random() * 60)
    const { value } = unwrap(await client.changes.list({ after, size, types, wait: isLast ? 0 : 1 }))
    seen.push(...value.content)
    after = value.cursor
    if (isLast && !value.more) return seen
  }
}

const started = async (t: TestContext, DATABASE_URL: string, instances: number) => {
  const apis: Api[] = []
  for (let at = 0; at < instances; at++) apis.push(await startApp(t, { DATABASE_URL }))
  return { apis, clients: apis.map(({ url }) => rollcall(url)) }
}

for (const { name, url, skip } of databases)
  test(`${name}: streams and pages report every acknowledged write once and in order, whichever instance wrote it`, {
    timeout: 120_000,
    skip,
  }, async (t) => {
    const instances = name === 'SQLite' ? 1 : 2
    const { apis, clients } = await started(t, await url(t), instances)
    const [client] = clients
    assert.ok(client)
    const end = Promise.withResolvers<number>()
    const over = Promise.withResolvers<void>()
    const reading = Promise.all([
      Promise.all(apis.map((api) => streamed(api, end.promise))),
      Promise.all([paged(clients, over.promise), paged(clients.toReversed(), over.promise)]),
      paged(clients, over.promise, ['todo.deleted']),
    ])
    const ids: string[] = []
    const untilMs = performance.now() + writingMs
    const written = await Promise.all(
      Array.from({ length: writers }, (_, at) => write(clients[at % instances] as Rollcall, ids, untilMs)),
    )
    const acknowledged = written.flat()
    // One more write, for the readers that have seen everything and wait.
    end.resolve(acknowledged.length + 1)
    const { value: last } = unwrap(await client.todos.create({ todoTitle: 'last' }))
    acknowledged.push({ type: 'todo.created', subject: last.todoId, logged: 0 })
    over.resolve()
    const [streams, pages, deleted] = await reading

    const [log = []] = pages
    const numbers = log.map(({ sequence }) => Number(sequence))
    assert.deepEqual(
      numbers,
      Array.from(acknowledged, (_, at) => at + 1),
      'dense, complete, nothing else',
    )
    for (const seen of streams) assert.deepEqual(seen, numbers)
    for (const seen of pages) assert.deepEqual(seen, log)
    assert.deepEqual(
      deleted,
      log.filter(({ type }) => type === 'todo.deleted'),
    )
    const count = (all: readonly { type: string; subject: string }[]) =>
      Object.entries(Object.groupBy(all, ({ type, subject }) => `${subject} ${type}`))
        .map(([what, some]) => `${what} ${some?.length}`)
        .toSorted()
    assert.deepEqual(count(log), count(acknowledged))
    const byRecord = Map.groupBy(log, ({ subject }) => subject)
    for (const changes of byRecord.values()) {
      assert.deepEqual(
        changes.map(({ data }) => data.version),
        changes.map((_, at) => at + 1),
      )
      assert.equal(
        changes.findIndex(({ type }) => type === 'todo.created'),
        0,
      )
      const deletion = changes.findIndex(({ type }) => type === 'todo.deleted')
      assert.ok(deletion < 0 || deletion === changes.length - 1)
    }
    for (const { subject, logged } of acknowledged.filter((one) => one.logged > 0))
      assert.ok(log.some((change) => change.subject === subject && Number(change.sequence) === logged))

    const now = unwrap(await client.todos.list()).value
    const kept = [...byRecord].filter(([, changes]) => changes.at(-1)?.type !== 'todo.deleted')
    assert.deepEqual(now.map(({ todoId }) => todoId).toSorted(), kept.map(([subject]) => subject).toSorted())
    for (const todo of now.slice(0, 20)) {
      const past: readonly Version<Todo>[] = await Array.fromAsync(client.todos.history(todo.todoId))
      assert.deepEqual(past[0]?.value, todo)
      assert.equal(past.length, byRecord.get(todo.todoId)?.length)
    }
    t.diagnostic(`${log.length} changes`)
  })
