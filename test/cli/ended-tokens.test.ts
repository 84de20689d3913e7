import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asRoot, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import type { Api } from '../harness.ts'
import { openFolder } from './folder.ts'

const withService = async <T>(
  t: TestContext,
  DATABASE_URL: string,
  work: (api: Api) => Promise<T>,
): Promise<T> => {
  const api = await startBasic(t, { DATABASE_URL })
  try {
    return await work(api)
  } finally {
    await api.close()
  }
}

const newToken = async (api: Api) => bearer(fieldOf(await api('POST /tokens', undefined, asRoot), 'token'))

const statusIn = (t: TestContext, url: string, token: Readonly<Record<string, string>>) =>
  withService(t, url, async (api) => (await api('GET /todos', undefined, token)).status)

test('after a move, ended tokens are still ended and valid tokens still valid', async (t) => {
  const { url, good } = openFolder()
  const [ended, valid] = await withService(t, url('a.db'), async (api) => {
    const first = await newToken(api)
    await api('DELETE /tokens', undefined, asRoot)
    return [first, await newToken(api)]
  })
  await good(['move', '--from', url('a.db'), '--to', url('b.db')], '')
  assert.equal(await statusIn(t, url('b.db'), ended), 401)
  assert.equal(await statusIn(t, url('b.db'), valid), 200)
})

test('a restore ends every token, including one that was ended after the backup', async (t) => {
  const { url, good } = openFolder()
  const token = await withService(t, url('a.db'), newToken)
  await good(['backup', 'copy.db'], url('a.db'))
  await withService(t, url('a.db'), (api) => api('DELETE /tokens', undefined, asRoot))
  await good(['restore', 'copy.db', '--replace'], url('a.db'))
  assert.equal(await statusIn(t, url('a.db'), token), 401)
  assert.equal(await statusIn(t, url('a.db'), asRoot), 200)
})
