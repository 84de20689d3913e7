import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask, Fields } from './ask.ts'
import type { Store } from './stores.ts'
import type { Tap } from './tap.ts'

export interface Bench {
  /** Asks through the cache. */
  readonly ask: Ask
  readonly store: Store
  readonly tap: Tap
}

type Check = (bench: Bench) => Promise<void>

export type Checks = Readonly<Record<string, Check>>

const john = {
  firstName: 'John',
  lastName: 'Smith',
  genderCode: '1',
  dateOfBirth: '1983-01-17',
  emailAddress: 'john@example.com',
  address: 'x'.repeat(256),
  credential: { signId: '', password: 'demodemo' },
}

const made = async ({ ask }: Bench): Promise<string> => {
  const answer = await ask('POST /todos', {}, { todoTitle: 'Milk' })
  assert.equal(answer.status, 201)
  return `/todos/${JSON.parse(answer.text).todoId}`
}

const member = async ({ ask }: Bench, auth: Fields = {}, signId = `${Math.random()}`): Promise<string> => {
  const credential = { signId, password: 'demodemo' }
  const answer = await ask('POST /members', auth, { ...john, credential })
  assert.equal(answer.status, 201, answer.text)
  return `/members/${JSON.parse(answer.text).memberId}`
}

/** What is kept may be shown for as long as it is fresh. A timer counts whole milliseconds, so it may ring one too early. */
const settled = ({ store }: Bench) => sleep(store.freshMs * 1.1 + 2)

/** Each way to ask, twice in turn: nobody may be given what another was meant to have. */
const inTurn = async (
  { ask }: Bench,
  line: string,
  ways: readonly Fields[],
  look: (way: Fields) => RegExp,
) => {
  for (const way of [...ways, ...ways, ...[...ways].reverse()]) {
    const answer = await ask(line, way)
    const told = `${answer.headers['content-type']} ${answer.headers['content-language'] ?? '-'} ${
      answer.headers['content-encoding'] ?? 'identity'
    }`
    assert.match(told, look(way), JSON.stringify(way))
  }
}

/** What any cache before an open service must be able to rely on. */
export const openChecks: Checks = {
  async 'what may not be kept is asked for each time; what is kept is asked after, and still holds'(bench) {
    const { ask, store, tap } = bench
    for (const path of [await made(bench), '/todos', await member(bench)]) {
      tap.seen()
      const first = await ask(`GET ${path}`)
      await settled(bench)
      const again = await ask(`GET ${path}`)
      assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text])
      assert.equal(again.headers.etag, first.headers.etag)
      const statuses = tap.seen().map(({ status, isConditional }) => (isConditional ? -status : status))
      assert.deepEqual(statuses, store.keeps ? [200, -304] : [200, 200], path)
    }
  },

  async 'JSON and XML are told apart'(bench) {
    const ways = [{ Accept: 'application/json' }, { Accept: 'application/xml' }, {}]
    for (const path of [await made(bench), '/todos', '/todos?page=0'])
      await inTurn(bench, `GET ${path}`, ways, ({ Accept = 'application/json' }) => new RegExp(`^${Accept} `))
  },

  async 'languages are told apart'(bench) {
    const ways = [{ 'Accept-Language': 'ja' }, { 'Accept-Language': 'en' }]
    await inTurn(bench, 'GET /todos/nobody', ways, (way) => new RegExp(` ${way['Accept-Language']} `))
  },

  async 'codings are told apart, and mean the same'(bench) {
    const ways = ['br', 'gzip', 'identity'].map((coding) => ({ 'Accept-Encoding': coding }))
    const path = await member(bench)
    for (let at = 0; at < 5; at++) await member(bench)
    const texts = new Set<string>()
    const tags = new Set<unknown>()
    for (const line of [`GET ${path}?view=full`, 'GET /members']) {
      texts.clear()
      tags.clear()
      await inTurn(bench, line, ways, (way) => {
        const isTold = line.endsWith('/members') || way['Accept-Encoding'] === 'identity'
        return isTold ? new RegExp(` ${way['Accept-Encoding']}$`) : /./
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

  async 'HEAD says what GET says'(bench) {
    const { ask } = bench
    for (const path of [await made(bench), '/todos', '/todos/nobody']) {
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

  async 'after a PUT the next read is new, whatever was kept'(bench) {
    const { ask } = bench
    const path = await made(bench)
    const before = await ask(`GET ${path}`)
    assert.equal((await ask(`PUT ${path}`)).status, 200)
    await settled(bench)
    const after = await ask(`GET ${path}`)
    assert.equal(JSON.parse(after.text).finished, true)
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.equal((await ask(`DELETE ${path}`)).status, 204)
    await settled(bench)
    assert.equal((await ask(`GET ${path}`)).status, 404)
  },

  async 'a list changes its weak tag with every change'(bench) {
    const { ask } = bench
    const tags: unknown[] = []
    const look = async (count: number) => {
      await settled(bench)
      const { headers, text } = await ask('GET /todos')
      assert.equal(JSON.parse(text).length, count)
      assert.match(String(headers.etag), /^W\//)
      tags.push(headers.etag)
    }
    const count = JSON.parse((await ask('GET /todos?links=true')).text).length
    const path = await made(bench)
    await look(count + 1)
    await ask(`PUT ${path}`)
    await look(count + 1)
    await ask(`DELETE ${path}`)
    await look(count)
    assert.equal(new Set(tags).size, 3)
  },

  async 'the tag that a cache hands out guards a change'(bench) {
    const { ask, store } = bench
    const path = await made(bench)
    await ask(`GET ${path}`)
    const tag = String((await ask(`GET ${path}`)).headers.etag)
    assert.equal((await ask(`PUT ${path}`, { 'If-Match': tag })).status, 200)
    assert.equal((await ask(`PUT ${path}`, { 'If-Match': tag })).status, 412)
    await settled(bench)
    const told = await ask(`GET ${path}`, { 'If-None-Match': tag })
    assert.equal(told.status, 200)
    const again = await ask(`GET ${path}`, { 'If-None-Match': String(told.headers.etag) })
    // Where nginx keeps nothing it does not pass the condition on either.
    const isHidden = store.name === 'nginx'
    assert.deepEqual([again.status, again.text], isHidden ? [200, told.text] : [304, ''])
  },
}

const basic = (name: string, password: string): Fields => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

export const administrator = { ADMIN_SIGN_ID: 'admin', ADMIN_PASSWORD: 'admin password' }

/** What nobody may be shown, not even by a cache that keys by the address alone. */
export const closedChecks: Checks = {
  async 'nobody is shown what another may see'(bench) {
    const { ask } = bench
    const admin = basic(administrator.ADMIN_SIGN_ID, administrator.ADMIN_PASSWORD)
    const [one, other] = ['one', 'other'].map((name) => `${name}${Math.random()}`)
    const path = await member(bench, admin, one)
    await member(bench, admin, other)
    const people: readonly (readonly [Fields, number, boolean])[] = [
      [admin, 200, true],
      [{}, 401, false],
      [basic(String(other), 'demodemo'), 200, false],
      [basic(String(one), 'demodemo'), 200, true],
      [basic(String(one), 'another password'), 401, false],
    ]
    for (const [who, status, seesAll] of [...people, ...people.toReversed(), ...people]) {
      await settled(bench)
      const answer = await ask(`GET ${path}`, who)
      assert.equal(answer.status, status)
      assert.equal(answer.text.includes('emailAddress'), seesAll, answer.text)
    }
  },
}
