import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { Problem } from '#core/problem.ts'
import { openDatabase } from '#sql/open.ts'
import { sql } from '#sql/query.ts'
import { migrateAll } from '#src/app/migrations.ts'
import { noPostgres, serviceDatabase } from '#test/postgres.ts'
import { answerStore } from './answers.ts'
import { serviceActor } from './change-log.ts'

const claim = { keyId: 'key', fingerprint: 'fingerprint', actor: serviceActor(), subject: undefined }
const answer = { status: 201, headers: [], body: 'done' }

const keeperOn = async (t: TestContext, url: string) => {
  const db = await openDatabase(url, { limits: { lockMs: 100 } })
  t.after(() => db.close())
  await migrateAll(db)
  return { db, keeper: answerStore(db, systemClock) }
}

const skip = await noPostgres()

test('a repeated idempotency key is refused as in use while its first request runs on another instance', {
  skip,
}, async (t) => {
  const url = await serviceDatabase(t)
  const [one, other] = [await keeperOn(t, url), await keeperOn(t, url)]
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = one.keeper.store(claim, async () => {
    await one.db.run(sql`DELETE FROM kept_answer WHERE scope = ${'none'}`)
    begun.resolve()
    await released.promise
    return answer
  })
  await begun.promise
  const repeat = () => other.keeper.store(claim, async () => answer)
  await assert.rejects(
    repeat,
    (error) => error instanceof Problem && error.kind === 'keyInUse' && error.headers['Retry-After'] === '1',
  )
  released.resolve()
  assert.deepEqual(await first, answer)
  assert.equal(await repeat(), 'taken')
})
