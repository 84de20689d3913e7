import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freshFolder } from '../../test/fresh-folder.ts'
import { type Api, startApp } from '../../test/harness.ts'
import { noPostgres } from '../../test/postgres.ts'
import { until } from '../../test/postgres-notes.ts'
import { openPair, type Pair } from '../../test/postgres-pair.ts'

const skip = await noPostgres()

const open = async (t: TestContext): Promise<Pair> => {
  const pair = await openPair({ directory: freshFolder(), isSynchronous: false })
  t.after(pair.close)
  return pair
}

/** Creates a todo, as soon as that is possible, and returns where it is. */
const acknowledged = async (api: Api): Promise<string> => {
  for (;;) {
    const { status, headers } = await api('POST /todos', { todoTitle: 'kept' })
    if (status === 201) return new URL(headers.location ?? '').pathname.replace('/api/v1', '')
    await sleep(50)
  }
}

/** The statuses of many reads, without repetition. */
const statuses = async (api: Api, path: string) => {
  const seen = new Set<number>()
  for (let times = 0; times < 50; times++) seen.add((await api(`GET ${path}`)).status)
  return [...seen]
}

const readiness = async ({ management }: Api) => (await fetch(`${management}/health/ready`)).json()

describe('A former primary that comes back and is the first host in the URL', { skip }, () => {
  test('is refused by instances that saw the newer primary, and by instances that start while both are reachable', async (t) => {
    const { primary, standby, promote, url } = await open(t)
    const api = await startApp(t, { DATABASE_URL: url })
    await acknowledged(api)
    await primary.stop('SIGQUIT')
    await promote()
    const path = await acknowledged(api)
    await primary.start()
    const anew = await startApp(t, { DATABASE_URL: url })
    assert.deepEqual([await statuses(api, path), await statuses(anew, path)], [[200], [200]])

    await standby.stop('SIGQUIT')
    for (const one of [api, anew]) {
      await until(async () => (await one(`GET ${path}`)).status === 503)
      assert.deepEqual(await statuses(one, path), [503])
      assert.partialDeepStrictEqual(await readiness(one), { status: 'down', reasons: ['formerPrimary'] })
    }
    const [told] = api.log.filter(({ msg }) => /is a former primary: /.test(String(msg)))
    assert.match(
      String(told?.msg),
      new RegExp(
        `^127.0.0.1:${primary.port} is a former primary: it is on timeline 1, but another server was on 2$`,
      ),
    )
    await standby.start()
    for (const one of [api, anew]) await until(async () => (await one(`GET ${path}`)).status === 200)
  })

  test('is used by instances that can reach no other server, but only until the newer primary is reachable', async (t) => {
    const { primary, standby, promote, url } = await open(t)
    await (await startApp(t, { DATABASE_URL: url }))('GET /todos')
    await primary.stop('SIGQUIT')
    await promote()
    await standby.stop('SIGINT')
    await primary.start()
    const api = await startApp(t, { DATABASE_URL: url })
    assert.equal((await api('GET /todos')).status, 200)
    await standby.start()
    const other = await startApp(t, { DATABASE_URL: url })
    const path = await acknowledged(other)
    await until(async () => (await api(`GET ${path}`)).status === 200)
    assert.deepEqual(await statuses(api, path), [200])
  })
})
