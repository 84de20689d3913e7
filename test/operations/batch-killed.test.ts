import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases } from '../engines.ts'
import { request } from '../harness.ts'
import { serve } from './child.ts'

const size = 20

/** The titles name the batch. Every second batch has an operation that is refused. */
const batchOf = (number: number) => {
  const titles = Array.from({ length: size }, (_, at) => (number % 2 === 1 && at === 3 ? '' : `${number}`))
  const operations = titles.map((todoTitle) => ({
    method: 'POST',
    path: '/api/v1/todos',
    body: { todoTitle },
  }))
  return { atomic: number % 2 === 0, operations }
}

for (const { name, url, skip } of databases)
  test(`${name}: after a crash each batch was done entirely or not at all, and repeating its key tells which`, {
    skip,
  }, async (t) => {
    const environment = { DATABASE_URL: await url(t) }
    const first = await serve(t, { environment })
    const answered = new Map<number, string>()
    const base = (at: string) => `${at}/api/v1`
    const send = (at: string, number: number) =>
      request(base(at), 'POST /batch', {
        body: batchOf(number),
        headers: { 'Idempotency-Key': `batch ${number}` },
      })
    let sent = 0
    const sendAll = async () => {
      for (;;) {
        const number = sent++
        answered.set(number, (await send(first.url, number)).text)
      }
    }
    const senders = Promise.allSettled(Array.from({ length: 4 }, sendAll))
    while (answered.size < 30) await sleep(1)
    first.kill('SIGKILL')
    await Promise.all([senders, first.exit])
    const { url: again } = await serve(t, { environment })
    const counts = async () => {
      const { body } = await request(base(again), 'GET /todos')
      const titles = (body as readonly { todoTitle: string }[]).map(({ todoTitle }) => Number(todoTitle))
      return Map.groupBy(titles, (title) => title)
    }
    const expected = (number: number) => size - (number % 2)
    for (const [number, todos] of await counts())
      assert.equal(todos.length, expected(number), `batch ${number}`)
    for (let number = 0; number < sent; number++) {
      const { status, headers, text } = await send(again, number)
      assert.equal(status, 200)
      if (!answered.has(number)) continue
      assert.deepEqual([text, headers['idempotent-replayed']], [answered.get(number), 'true'])
    }
    const all = await counts()
    assert.equal(all.size, sent)
    for (const [number, todos] of all) assert.equal(todos.length, expected(number), `batch ${number}`)
  })
