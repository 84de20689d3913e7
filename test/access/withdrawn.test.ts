import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { databases } from '../engines.ts'
import { type Api, slowHashes } from '../harness.ts'
import { john } from '../people.ts'
import { asRoot, basic, enrol, fieldOf, type Person, startBasic } from './callers.ts'
import { bearer } from './issuer.ts'

type Headers = Readonly<Record<string, string>>

const operation = (line: string, body?: unknown) => {
  const [method, path] = line.split(' ')
  return { method, path: `/api/v1${path}`, ...(body !== undefined && { body }) }
}

const person = (number: number) => ({
  ...john,
  credential: { signId: `person ${number}`, password: 'swordfish' },
})

/** So many hashes take half a second, in a thread of lower priority. The service answers another request long before. */
const hashes = 12

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at)

const roleOf = ({ memberId }: Person, role: string) => operation(`PUT /members/${memberId}/role`, { role })

const give = async (api: Api, { memberId }: Person, role: string) => {
  const { status, text } = await api(`PUT /members/${memberId}/role`, { role }, asRoot)
  assert.equal(status, 200, text)
}

const administrator = async (api: Api, signId = 'mary') => {
  const made = await enrol(api, signId)
  await give(api, made, 'administrator')
  return made
}

const send = (api: Api, operations: readonly unknown[], headers: Headers) =>
  api('POST /batch', { atomic: false, operations }, headers)

const statusesOf = ({ body, text }: Awaited<ReturnType<typeof send>>) => {
  const { responses } = body as { readonly responses?: readonly { readonly status: number }[] }
  assert.ok(responses, text)
  return responses.map(({ status }) => status)
}

const newKey = async (api: Api, scopes: readonly string[]) => {
  const made = await api('POST /keys', { name: 'a', scopes, expiresAt: null }, asRoot)
  assert.equal(made.status, 201, made.text)
  return { keyId: fieldOf(made, 'keyId'), headers: bearer(fieldOf(made, 'secret')) }
}

for (const { name, url, skip } of databases) {
  const started = async (t: TestContext, world: Parameters<typeof startBasic>[2] = {}) =>
    startBasic(t, { DATABASE_URL: await url(t) }, world)

  test(`${name}: each operation of a batch is checked against the rights that the caller has at that moment`, {
    skip,
  }, async (t) => {
    const api = await started(t)
    const add = operation('POST /todos', { todoTitle: 'a' })
    const enrolOne = (number: number) => operation('POST /members', person(number))
    const mary = await administrator(api)
    const demoted = [enrolOne(1), roleOf(mary, 'member'), enrolOne(2), roleOf(mary, 'administrator'), add]
    assert.deepEqual(statusesOf(await send(api, demoted, mary.headers)), [201, 200, 403, 403, 201])

    await give(api, mary, 'administrator')
    const token = bearer(fieldOf(await api('POST /tokens', undefined, mary.headers), 'token'))
    assert.deepEqual(statusesOf(await send(api, [roleOf(mary, 'member'), add], token)), [200, 401])

    await give(api, mary, 'administrator')
    const suspended = [roleOf(mary, 'suspended'), enrolOne(3), roleOf(mary, 'administrator'), add]
    assert.deepEqual(statusesOf(await send(api, suspended, mary.headers)), [200, 401, 401, 401])

    const paul = await administrator(api, 'paul')
    const removed = [operation(`DELETE /members/${paul.memberId}`), add, enrolOne(4)]
    assert.deepEqual(statusesOf(await send(api, removed, paul.headers)), [204, 401, 401])

    const atomic = await api(
      'POST /batch',
      { atomic: true, operations: [add, roleOf(mary, 'suspended'), add] },
      asRoot,
    )
    assert.equal(atomic.status, 200, 'the configured administrator stays')
  })

  test(`${name}: a caller that is suspended while its batch hashes passwords changes nothing`, {
    skip,
  }, async (t) => {
    const api = await started(t, slowHashes)
    const mary = await administrator(api)
    for (const headers of [mary.headers, asRoot])
      assert.equal((await api('GET /todos', undefined, headers)).status, 200)
    const operations = [
      ...upTo(hashes).map((at) => operation('POST /members', person(at))),
      roleOf(mary, 'administrator'),
    ]
    const sent = send(api, operations, mary.headers)
    await give(api, mary, 'suspended')
    assert.deepEqual(new Set(statusesOf(await sent)), new Set([401]))
    const role = await api(`GET /members/${mary.memberId}/role`, undefined, asRoot)
    assert.equal(fieldOf(role, 'role'), 'suspended')
  })

  test(`${name}: a change that waits for a password hash is refused if its caller is suspended meanwhile`, {
    skip,
  }, async (t) => {
    const api = await started(t, slowHashes)
    const [mary, paul] = [await administrator(api), await enrol(api, 'paul')]
    await api('GET /todos', undefined, mary.headers)
    const changes = {
      'POST /members': (at: number) => person(at),
      [`PUT /members/${paul.memberId}/credential`]: (at: number) => ({ password: `swordfish ${at}` }),
    }
    for (const [line, bodyOf] of Object.entries(changes)) {
      await give(api, mary, 'administrator')
      await api('GET /todos', undefined, mary.headers)
      const sent = upTo(hashes).map((at) => api(line, bodyOf(at), mary.headers))
      await give(api, mary, 'suspended')
      const statuses = await Promise.all(sent.map(async (one) => (await one).status))
      assert.equal(
        statuses.findLast((status) => status !== 503),
        401,
        `${line} ${statuses}`,
      )
    }
  })

  test(`${name}: the stored answer of a batch is replayed only to a caller who still has the rights for the batch`, {
    skip,
  }, async (t) => {
    const api = await started(t)
    const mary = await administrator(api)
    const all = [operation('POST /members', person(1)), operation('POST /todos', { todoTitle: '' })]
    const headers = { ...mary.headers, 'Idempotency-Key': '1' }
    const first = await send(api, all, headers)
    await give(api, mary, 'member')
    assert.equal((await send(api, all, headers)).status, 403)
    await give(api, mary, 'administrator')
    const again = await send(api, all, headers)
    assert.deepEqual([again.headers['idempotent-replayed'], again.text], ['true', first.text])

    const paul = { ...(await enrol(api, 'paul')).headers, 'Idempotency-Key': '1' }
    assert.deepEqual(statusesOf(await send(api, all, paul)), [403, 400])
    assert.equal((await send(api, all, paul)).headers['idempotent-replayed'], 'true')
  })

  test(`${name}: a whole list breaks off when its key is deleted`, { skip }, async (t) => {
    const DATABASE_URL = await url(t)
    await fill(DATABASE_URL)
    const api = await startBasic(t, { DATABASE_URL })
    const key = await newKey(api, ['todos:read'])
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    const ended = once(socket, 'close')
    let sizeBytes = 0
    let end = ''
    socket.on('data', (chunk) => {
      sizeBytes += chunk.length
      end = chunk.toString('latin1').slice(-7)
    })
    socket.on('error', () => undefined)
    socket.write(
      `GET /api/v1/todos HTTP/1.1\r\nHost: x\r\nAuthorization: ${key.headers.authorization}\r\nConnection: close\r\n\r\n`,
    )
    await once(socket, 'data')
    socket.pause()
    assert.equal((await api(`DELETE /keys/${key.keyId}`, undefined, asRoot)).status, 204)
    socket.resume()
    await ended
    assert.notEqual(end, '\r\n0\r\n\r\n')
    assert.ok(sizeBytes < filledBytes, String(sizeBytes))
    assert.deepEqual(
      api.log.filter(({ level }) => level === 'error'),
      [],
    )
  })
}

const filledRows = 20_000
const titleBytes = 1_000
const filledBytes = filledRows * titleBytes

/** Todos with titles that are longer than the service allows, so that the list does not fit into network buffers. */
const fill = async (DATABASE_URL: string) => {
  const db = await openDatabase(DATABASE_URL)
  await migrateAll(db)
  const title = db.engine === 'sqlite' ? `hex(zeroblob(${titleBytes / 2}))` : `repeat('0', ${titleBytes})`
  const id = db.engine === 'sqlite' ? "printf('%012d', n)" : "lpad(n::text, 12, '0')"
  const prefix = '01920000-0000-7000-8000-'
  await db.write((tx) =>
    tx.run(
      raw(`INSERT INTO todo (todo_id, todo_title, finished, created_at, version, title_folded, checksum)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${filledRows})
        SELECT CAST('${prefix}' || ${id} AS ${db.engine === 'sqlite' ? 'TEXT' : 'uuid'}), ${title}, ${db.engine === 'sqlite' ? 0 : false}, 0, 1, '', 0 FROM numbers`),
    ),
  )
  await db.close()
}

test('every operation of a batch gets 401 once the password of its caller has changed', async (t) => {
  const api = await startBasic(t, {}, slowHashes)
  const mary = await administrator(api)
  await api('GET /todos', undefined, mary.headers)
  const sent = send(
    api,
    upTo(hashes).map((at) => operation('POST /members', person(at))),
    mary.headers,
  )
  const changed = await api(`PUT /members/${mary.memberId}/credential`, { password: 'another one' }, asRoot)
  assert.equal(changed.status, 200)
  assert.deepEqual(new Set(statusesOf(await sent)), new Set([401]))
  assert.equal((await api('GET /todos', undefined, basic('mary', 'another one'))).status, 200)
})
