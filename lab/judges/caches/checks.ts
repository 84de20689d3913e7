import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMember } from '#lab/people.ts'
import type { Ask, Fields } from './ask.ts'
import type { Store } from './stores.ts'
import type { Tap } from './tap.ts'

export interface Bench {
  /** Sends a request through the cache. */
  readonly ask: Ask
  readonly store: Store
  readonly tap: Tap
}

type Check = (bench: Bench) => Promise<void>

export type Checks = Readonly<Record<string, Check>>

const createTodo = async ({ ask }: Bench): Promise<string> => {
  const answer = await ask('POST /todos', {}, { todoTitle: 'Milk' })
  assert.equal(answer.status, 201)
  return `/todos/${JSON.parse(answer.text).todoId}`
}

const createMember = async (
  { ask }: Bench,
  auth: Fields = {},
  signId = `${Math.random()}`,
): Promise<string> => {
  const member = { ...newMember(signId, 'demodemo'), address: 'x'.repeat(256) }
  const answer = await ask('POST /members', auth, member)
  assert.equal(answer.status, 201, answer.text)
  return `/members/${JSON.parse(answer.text).memberId}`
}

/** Waits until what is stored is no longer fresh. A timer counts whole milliseconds, so it may fire one too early. */
const whenStale = ({ store }: Bench) => sleep(store.freshMs * 1.1 + 2)

/** Sends each variant of a request several times in turn: none may get what was meant for another. */
const inTurn = async (
  { ask }: Bench,
  line: string,
  ways: readonly Fields[],
  expected: (way: Fields) => RegExp,
) => {
  for (const way of [...ways, ...ways, ...[...ways].reverse()]) {
    const answer = await ask(line, way)
    const received = `${answer.headers['content-type']} ${answer.headers['content-language'] ?? '-'} ${
      answer.headers['content-encoding'] ?? 'identity'
    }`
    assert.match(received, expected(way), JSON.stringify(way))
  }
}

/** What any cache in front of an open service must be able to rely on. */
export const openChecks: Checks = {
  async 'private responses are fetched every time; stored ones are revalidated with 304'(bench) {
    const { ask, store, tap } = bench
    for (const path of [await createTodo(bench), '/todos', await createMember(bench)]) {
      tap.seen()
      const first = await ask(`GET ${path}`)
      await whenStale(bench)
      const again = await ask(`GET ${path}`)
      assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text])
      assert.equal(again.headers.etag, first.headers.etag)
      const statuses = tap.seen().map(({ status, isConditional }) => (isConditional ? -status : status))
      assert.deepEqual(statuses, store.keeps ? [200, -304] : [200, 200], path)
    }
  },

  async 'JSON and XML are distinguished'(bench) {
    const ways = [{ Accept: 'application/json' }, { Accept: 'application/xml' }, {}]
    for (const path of [await createTodo(bench), '/todos', '/todos?page=0'])
      await inTurn(bench, `GET ${path}`, ways, ({ Accept = 'application/json' }) => new RegExp(`^${Accept} `))
  },

  async 'languages are distinguished'(bench) {
    const ways = [{ 'Accept-Language': 'ja' }, { 'Accept-Language': 'en' }]
    await inTurn(bench, 'GET /todos/nobody', ways, (way) => new RegExp(` ${way['Accept-Language']} `))
  },

  async 'codings are distinguished, and decode to the same text'(bench) {
    const ways = ['br', 'gzip', 'identity'].map((coding) => ({ 'Accept-Encoding': coding }))
    const path = await createMember(bench)
    for (let at = 0; at < 5; at++) await createMember(bench)
    const texts = new Set<string>()
    const tags = new Set<unknown>()
    for (const line of [`GET ${path}?view=full`, 'GET /members']) {
      texts.clear()
      tags.clear()
      await inTurn(bench, line, ways, (way) => {
        const isCertain = line.endsWith('/members') || way['Accept-Encoding'] === 'identity'
        return isCertain ? new RegExp(` ${way['Accept-Encoding']}$`) : /./
      })
      for (const way of ways) {
        const { text, headers } = await bench.ask(line, way)
        texts.add(text)
        tags.add(`${headers.etag} ${headers['content-encoding']}`)
      }
      assert.equal(texts.size, 1)
      assert.equal(new Set([...tags].map((tag) => String(tag).split(' ', 1)[0])).size, tags.size)
    }
  },

  async 'a strict request gets no answer to a lenient one'(bench) {
    const { ask } = bench
    const line = 'GET /todos?unknown=1'
    for (const status of [200, 400, 200, 400])
      assert.equal((await ask(line, status === 400 ? { Prefer: 'handling=strict' } : {})).status, status)
  },

  async 'HEAD answers with the status and fields of GET'(bench) {
    const { ask } = bench
    for (const path of [await createTodo(bench), '/todos', '/todos/nobody']) {
      for (const first of ['GET', 'HEAD']) {
        const one = await ask(`${first} ${path}`)
        const other = await ask(`${first === 'GET' ? 'HEAD' : 'GET'} ${path}`)
        for (const name of ['etag', 'content-type', 'vary', 'cache-control'])
          assert.equal(one.headers[name], other.headers[name], name)
        assert.equal(one.status, other.status)
        assert.equal((first === 'HEAD' ? one : other).text, '')
      }
    }
  },

  async 'the first read after a PUT or DELETE is fresh'(bench) {
    const { ask } = bench
    const path = await createTodo(bench)
    const before = await ask(`GET ${path}`)
    assert.equal((await ask(`PUT ${path}`)).status, 200)
    await whenStale(bench)
    const after = await ask(`GET ${path}`)
    assert.equal(JSON.parse(after.text).finished, true)
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.equal((await ask(`DELETE ${path}`)).status, 204)
    await whenStale(bench)
    assert.equal((await ask(`GET ${path}`)).status, 404)
  },

  async 'the weak ETag of a list changes with every change'(bench) {
    const { ask } = bench
    const tags: unknown[] = []
    const expectList = async (count: number) => {
      await whenStale(bench)
      const { headers, text } = await ask('GET /todos')
      assert.equal(JSON.parse(text).length, count)
      assert.match(String(headers.etag), /^W\//)
      tags.push(headers.etag)
    }
    const count = JSON.parse((await ask('GET /todos?links=true')).text).length
    const path = await createTodo(bench)
    await expectList(count + 1)
    await ask(`PUT ${path}`)
    await expectList(count + 1)
    await ask(`DELETE ${path}`)
    await expectList(count)
    assert.equal(new Set(tags).size, 3)
  },

  async 'the ETag that a cache serves works with If-Match and If-None-Match'(bench) {
    const { ask, store } = bench
    const path = await createTodo(bench)
    await ask(`GET ${path}`)
    const tag = String((await ask(`GET ${path}`)).headers.etag)
    assert.equal((await ask(`PUT ${path}`, { 'If-Match': tag })).status, 200)
    assert.equal((await ask(`PUT ${path}`, { 'If-Match': tag })).status, 412)
    await whenStale(bench)
    const changed = await ask(`GET ${path}`, { 'If-None-Match': tag })
    assert.equal(changed.status, 200)
    const again = await ask(`GET ${path}`, { 'If-None-Match': String(changed.headers.etag) })
    // Here nginx stores nothing, and it does not forward the condition.
    const isHidden = store.name === 'nginx'
    assert.deepEqual([again.status, again.text], isHidden ? [200, changed.text] : [304, ''])
  },
}

const basic = (name: string, password: string): Fields => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

export const administrator = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' }

/** No caller may see the answer to another, not even through a cache whose key is the URL alone. */
export const closedChecks: Checks = {
  async 'no caller is served what only another may see'(bench) {
    const { ask } = bench
    const admin = basic(administrator.ADMIN_SIGN_ID, administrator.ADMIN_PASSWORD)
    const [one, other] = ['one', 'other'].map((name) => `${name}${Math.random()}`)
    const path = await createMember(bench, admin, one)
    await createMember(bench, admin, other)
    const people: readonly (readonly [Fields, number, boolean])[] = [
      [admin, 200, true],
      [{}, 401, false],
      [basic(String(other), 'demodemo'), 200, false],
      [basic(String(one), 'demodemo'), 200, true],
      [basic(String(one), 'another password'), 401, false],
    ]
    for (const [who, status, seesAll] of [...people, ...people.toReversed(), ...people]) {
      await whenStale(bench)
      const answer = await ask(`GET ${path}`, who)
      assert.equal(answer.status, status)
      assert.equal(answer.text.includes('emailAddress'), seesAll, answer.text)
    }
  },
}
