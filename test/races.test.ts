import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#sql/query.ts'
import { databases } from './engines.ts'
import { startApp } from './harness.ts'
import { person } from './people.ts'
import { administer, noPostgres, serviceDatabase } from './postgres.ts'
import { openForTest, until } from './postgres-notes.ts'
import { createMember } from './scenarios/creating.ts'
import { mergePatch } from './scenarios/table.ts'

const skip = await noPostgres()

for (const { name, url, skip } of databases)
  test(`concurrent patches of different fields of one item all take effect, on ${name}`, {
    timeout: 60_000,
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    const fields = { firstName: 'A', lastName: 'B', genderCode: '0', zipCode: null, address: 'C' }
    for (const isKeyed of [false, true]) {
      const { memberId } = await createMember(api)
      const answers = await Promise.all(
        Object.entries(fields).map(([name, value]) => {
          const headers = isKeyed ? { ...mergePatch, 'Idempotency-Key': `${memberId} ${name}` } : mergePatch
          return api(`PATCH /members/${memberId}`, { [name]: value }, headers)
        }),
      )
      const { body, headers } = await api(`GET /members/${memberId}`)
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      )
      assert.deepEqual({ ...(body as object), ...fields }, body)
      assert.match(headers.etag ?? '', /^"6-/)
    }
  })

for (const { name, url, skip } of databases)
  test(`a repetition sent after the first answer is a replay while duplicates are in flight, on ${name}`, {
    timeout: 60_000,
    skip,
  }, async (t) => {
    const api = await startApp(t, { DATABASE_URL: await url(t) })
    const race = async (key: string) => {
      const post = () => api('POST /todos', { todoTitle: key }, { 'Idempotency-Key': key })
      // A database that is busy for too long gives 503, and the caller retries.
      const done = async (): Promise<Awaited<ReturnType<typeof post>>> => {
        const answer = await post()
        if (answer.status === 503) return done()
        return answer.status === 201 ? answer : Promise.reject(answer.status)
      }
      const duplicates = Array.from({ length: 6 }, done)
      const first = await Promise.any(duplicates)
      duplicates.push(...Array.from({ length: 6 }, done))
      const { status, body, headers } = await post()
      await Promise.allSettled(duplicates)
      assert.deepEqual([status, headers['idempotent-replayed'], body], [201, 'true', first.body])
    }
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 10 }, (_, index) => race(`${round} ${index}`)))
  })

test('a POST that needs a row locked by another transaction gets 409 with the name of the locked resource', {
  timeout: 60_000,
  skip,
}, async (t) => {
  const url = await serviceDatabase(t)
  const api = await startApp(t, { DATABASE_URL: url })
  const { memberId } = await createMember(api)
  const other = await openForTest(t, url)
  await other.write(async (tx) => {
    await tx.run(sql`UPDATE credential SET sign_id_folded = 'held' WHERE member_id = ${String(memberId)}`)
    const { status, body } = await api(
      'POST /members',
      person({ credential: { signId: 'held', password: 'some password' } }),
    )
    assert.equal(status, 409)
    assert.deepEqual((body as { details: unknown }).details, [
      {
        code: 'ChangedMeanwhile',
        message: 'Part of "members" was locked by another request at the same time.',
        target: 'members',
      },
    ])
  })
})

test('the losers of concurrent PUTs of one member get 409 naming it, and have no effect', {
  timeout: 60_000,
}, async (t) => {
  const api = await startApp(t)
  const { memberId } = await createMember(api)
  const { credential: _, ...profile } = person()
  const put = () => api(`PUT /members/${memberId}`, profile)
  let changes = 0
  let conflicts = 0
  // Each on its own connection: how many of them coincide is a matter of chance.
  while (conflicts === 0)
    for (const { status, body } of await Promise.all(Array.from({ length: 20 }, put))) {
      assert.ok(status === 200 || status === 409, String(status))
      if (status === 200) changes++
      else {
        conflicts++
        assert.deepEqual(body, {
          code: 'e.xx.fw.8002',
          message: 'Conflict with other processing occurred.',
          details: [
            {
              code: 'ChangedMeanwhile',
              message: `"memberId" ${memberId} was changed or locked by another request at the same time.`,
              target: 'memberId',
            },
          ],
        })
      }
    }
  const { headers: shown } = await api(`GET /members/${memberId}`)
  assert.equal(Number(shown.etag?.match(/^"(\d+)-/)?.[1]), 1 + changes)
})

test('concurrent requests that finish one todo all get 200 and the same ETag', {
  timeout: 60_000,
}, async (t) => {
  const api = await startApp(t)
  for (let round = 0; round < 10; round++) {
    const { todoId } = (await api('POST /todos', { todoTitle: 'milk' })).body as { todoId: string }
    const answers = await Promise.all(Array.from({ length: 8 }, () => api(`PUT /todos/${todoId}`)))
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.etag]),
      answers.map(() => [200, answers[0]?.headers.etag]),
    )
  }
})

test('patches of a record that stays locked are refused together, not one after another', {
  skip,
}, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const api = await startApp(t, { DATABASE_URL })
  const { todoId } = (await api('POST /todos', { todoTitle: 'locked' })).body as { todoId: string }
  const held = administer(
    DATABASE_URL,
    `BEGIN; SELECT FROM todo WHERE todo_id = '${todoId}' FOR UPDATE; SELECT pg_sleep(10); COMMIT`,
  )
  const sleeping =
    "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
  await until(async () => (await administer(DATABASE_URL, sleeping)).length > 0)
  const patch = (todoTitle: string) => api(`PATCH /todos/${todoId}`, { todoTitle }, mergePatch)
  const answers = await Promise.all([...'abcdefgh'].map(patch))
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 409),
  )
  await held
  assert.equal((await patch('free')).status, 200)
})
