import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '#sql/open.ts'
import { raw } from '#sql/query.ts'
import { asRoot, enrol, fieldOf, startBasic } from '../access/callers.ts'
import { bearer } from '../access/issuer.ts'
import { databases } from '../engines.ts'
import { startApp } from '../harness.ts'
import { contentOf } from '../webhooks.ts'

const view = { name: 'New people', page: 'members', query: 'sort=-createdAt&columns=role', shared: false }

for (const { name, url, skip } of databases) {
  test(`${name}: only its owner sees a view until it is shared, and it is deleted with its owner`, {
    skip,
  }, async (t) => {
    const DATABASE_URL = await url(t)
    const api = await startBasic(t, { DATABASE_URL })
    const mary = await enrol(api, 'mary')
    const ann = await enrol(api, 'ann')
    const seenBy = async (headers: object) =>
      contentOf(await api('GET /me/views', undefined, { ...headers })).map((one) => [one.name, one.mine])
    const made = await api('POST /me/views', view, mary.headers)
    const path = `/me/views/${fieldOf(made, 'viewId')}`
    assert.deepEqual(
      [made.status, made.body],
      [201, { viewId: fieldOf(made, 'viewId'), ...view, mine: true }],
    )
    assert.equal(made.headers.location?.endsWith(path), true)
    assert.deepEqual(await seenBy(mary.headers), [['New people', true]])
    assert.deepEqual([await seenBy(ann.headers), await seenBy(asRoot)], [[], []])
    assert.equal((await api(`PUT ${path}`, view, ann.headers)).status, 404)

    const shared = { ...view, name: 'All new people', shared: true }
    assert.equal((await api(`PUT ${path}`, shared, mary.headers)).status, 200)
    assert.deepEqual(await seenBy(ann.headers), [['All new people', false]])
    assert.equal((await api(`PUT ${path}`, view, ann.headers)).status, 403)
    assert.equal((await api(`DELETE ${path}`, undefined, ann.headers)).status, 403)
    assert.equal((await api(`PUT ${path}`, { ...shared, name: 'Root says' }, asRoot)).status, 200)
    assert.deepEqual(await seenBy(mary.headers), [['Root says', true]])

    await api('POST /me/views', { ...view, name: 'Mine' }, ann.headers)
    assert.equal((await api(`DELETE /members/${mary.memberId}`, undefined, asRoot)).status, 204)
    assert.deepEqual(await seenBy(ann.headers), [['Mine', true]])
    await api.close()
    const db = await openDatabase(DATABASE_URL)
    t.after(() => db.close())
    const owners = await db.read(raw('SELECT owner FROM saved_view'), ({ owner }) => owner)
    assert.deepEqual(owners, [`member:${ann.memberId}`])
  })

  test(`${name}: a view is refused if there are too many, if its list or id is unknown, or if a key sends it`, {
    skip,
  }, async (t) => {
    const api = await startBasic(t, { DATABASE_URL: await url(t) })
    const code = async (body: object, headers: Readonly<Record<string, string>> = asRoot) => {
      const answer = await api('POST /me/views', body, headers)
      return answer.status === 201 ? 201 : fieldOf(answer, 'code')
    }
    const ann = await enrol(api, 'ann')
    const key = bearer(
      fieldOf(await api('POST /keys', { name: 'k', scopes: ['members:read'] }, asRoot), 'secret'),
    )
    for (const page of ['nothing', 'me', 'changes', 'imports'])
      assert.equal(await code({ ...view, page }), 'e.xx.fw.7001', page)
    assert.equal(await code({ ...view, page: 'webhooks' }), 201)
    assert.equal(await code({ ...view, page: 'keys' }, ann.headers), 'e.xx.fw.7001')
    assert.equal(await code({ ...view, query: 'q'.repeat(2001) }), 'e.xx.fw.7001')
    assert.equal(await code({ ...view, name: '' }), 'e.xx.fw.7001')
    assert.equal(await code(view, key), 'e.xx.fw.4003')
    for (const method of ['GET', 'PUT', 'DELETE'])
      assert.equal(
        (await api(`${method} /me/views/no-id`, method === 'PUT' ? view : undefined, asRoot)).status,
        404,
      )
    for (let count = 2; count <= 50; count++) assert.equal(await code({ ...view, name: `v${count}` }), 201)
    assert.equal(await code(view), 'e.xx.vw.8001')
    assert.equal(await code(view, ann.headers), 201)
  })
}

test('under open access all callers share the same views, and a change of an old version is refused', async (t) => {
  const api = await startApp(t)
  const made = await api('POST /me/views', view)
  const path = `/me/views/${fieldOf(made, 'viewId')}`
  const { etag = '' } = (await api(`GET ${path}`)).headers
  assert.equal((await api(`PUT ${path}`, { ...view, name: 'one' }, { 'if-match': String(etag) })).status, 200)
  assert.equal((await api(`PUT ${path}`, { ...view, name: 'two' }, { 'if-match': String(etag) })).status, 412)
  assert.deepEqual(
    contentOf(await api('GET /me/views')).map((one) => one.name),
    ['one'],
  )
  assert.equal((await api(`DELETE ${path}`)).status, 204)
  assert.equal((await api(`GET ${path}`)).status, 404)
})
