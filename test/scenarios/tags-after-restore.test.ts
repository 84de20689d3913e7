import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { rollcall } from '../cli/warm.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Api, startApp } from '../harness.ts'
import { person } from '../people.ts'
import { administer, noPostgres, serviceDatabase } from '../postgres.ts'
import { body, field, header, mergePatch } from './table.ts'

/** The statuses of three requests with a tag: two reads that it may confirm, and a change. */
const named = async (api: Api, path: string, tag: string, change: object) => {
  const known = { 'If-None-Match': tag }
  const patch = { ...mergePatch, 'If-Match': tag }
  const answers = [
    await api(`GET ${path}`, undefined, known),
    await api(`GET ${path}`, undefined, { 'If-Match': tag }),
    await api(`PATCH ${path}`, change, patch),
  ]
  return answers.map(({ status }) => status)
}

const patched = async (api: Api, path: string, change: object) =>
  header(await api(`PATCH ${path}`, change, mergePatch), 'etag')

const isKnown = [304, 200, 200]
const isLost = [200, 412, 412]

const skip = await noPostgres()

test('SQLite: a tag of a version undone by a restore no longer matches, even if the same change was made again', async (t) => {
  const folder = freshFolder()
  const [path, copy] = [join(folder, 'a.db'), join(folder, 'copy.db')]
  const settings = { DATABASE_URL: `sqlite:${path}` }
  const first = await startApp(t, settings)
  const todo = `/todos/${field(await first('POST /todos', { todoTitle: 'kept' }), 'todoId')}`
  const member = `/members/${field(await first('POST /members', person()), 'memberId')}`
  const kept = header(await first(`GET ${todo}`), 'etag')
  await first.close()
  cpSync(path, copy)

  const second = await startApp(t, settings)
  assert.deepEqual(await named(second, todo, kept, {}), isKnown, 'after a restart')
  const lost = [
    await patched(second, todo, { finished: true }),
    await patched(second, member, { lastName: 'Lost' }),
  ]
  await second.close()
  assert.equal((await rollcall(['restore', copy, '--replace'], { environment: settings })).code, 0)

  const third = await startApp(t, settings)
  const now = [
    await patched(third, todo, { finished: true }),
    await patched(third, member, { lastName: 'Other' }),
  ]
  for (const [at, item] of [todo, member].entries()) {
    assert.equal(now[at]?.split('-')[0], lost[at]?.split('-')[0], 'the version is the same')
    assert.deepEqual(await named(third, item, lost[at] ?? '', {}), isLost)
    assert.deepEqual(await named(third, item, now[at] ?? '', {}), isKnown)
  }
  assert.equal(body(await third(`GET ${member}`)).lastName, 'Other')
})

test('PostgreSQL: a tag of a version lost in a failover matches no other content, and all instances give the same tags', {
  skip,
}, async (t) => {
  const DATABASE_URL = await serviceDatabase(t)
  const [one, other] = [
    await startApp(t, { DATABASE_URL }),
    await startApp(t, { DATABASE_URL, TIME_ZONE: 'Asia/Tokyo' }),
  ]
  const hook = { url: 'https://example.com/', active: false }
  const items = [
    [`/todos/${field(await one('POST /todos', { todoTitle: 'kept' }), 'todoId')}`, 'todo', 'todoTitle'],
    [`/members/${field(await one('POST /members', person()), 'memberId')}`, 'member', 'lastName'],
    [`/webhooks/${field(await one('POST /webhooks', hook), 'webhookId')}`, 'webhook', 'description'],
  ] as const
  for (const [path, table, name] of items) {
    const id = path.split('/')[2]
    await administer(DATABASE_URL, `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`)
    const lost = await patched(one, path, { [name]: 'lost' })
    const same = { 'If-Match': lost }
    assert.equal((await other(`GET ${path}`, undefined, same)).status, 200)
    assert.equal((await other(`PATCH ${path}`, {}, { ...mergePatch, ...same })).status, 200)
    // Undoes only the writes of the commit, as if it had never happened.
    const columns = `${name.replace(/[A-Z]/g, '_$&').toLowerCase()}, version`
    await administer(
      DATABASE_URL,
      `UPDATE ${table} SET (${columns}) = (SELECT ${columns} FROM kept_${table} WHERE ${table}_id = '${id}') WHERE ${table}_id = '${id}'`,
    )
    const now = await patched(other, path, { [name]: 'other' })
    assert.equal(now.split('-')[0], lost.split('-')[0], 'the version is the same')
    assert.deepEqual(await named(one, path, lost, { [name]: 'wrong' }), isLost, path)
    assert.equal((await one(`PATCH ${path}`, {}, { ...mergePatch, 'If-Match': now })).status, 200)
  }
})
