import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredRow } from '#resources/machine/storage.ts'
import { todo as todos } from '#resources/todo/index.ts'
import type { Database } from '#sql/database.ts'
import { openDatabase } from '#sql/open.ts'
import { raw, sql } from '#sql/query.ts'
import type { Table } from '#sql/table.ts'
import { asRoot, enrol, fieldOf, startBasic } from '../access/callers.ts'
import { databases } from '../engines.ts'
import { profile } from '../people.ts'
import { administer, freshDatabase, noPostgres } from '../postgres.ts'
import { mergePatch } from '../scenarios/table.ts'
import { rollcall } from './warm.ts'

const todoTable = todos.declared.table as Table<StoredRow>
const noServer = await noPostgres()

const verified = async (url: string) => {
  const { code, out, err } = await rollcall(['verify', '--json'], { environment: { DATABASE_URL: url } })
  const said = out.split('\n').filter((line) => line.includes('"says"'))
  const found = said.map((line) => JSON.parse(line)).map(({ what, id, says }) => `${what} ${id}: ${says}`)
  return { code, found, err }
}

/** Uses the service in every way that leaves a change, or a new version without one. */
const used = async (t: Parameters<typeof startBasic>[0], url: string) => {
  const api = await startBasic(t, { DATABASE_URL: url, WEBHOOK_HOSTS: '127.0.0.1' })
  const good = async (line: string, body?: unknown, headers: Readonly<Record<string, string>> = asRoot) => {
    const answer = await api(line, body, headers)
    assert.ok(answer.status < 300, `${line}: ${answer.text}`)
    return answer
  }
  const patching = { ...asRoot, ...mergePatch }
  const add = async (todoTitle: string) => {
    const todoId = fieldOf(await good('POST /todos', { todoTitle }), 'todoId')
    await good(`PATCH /todos/${todoId}`, { todoTitle: `more ${todoTitle}` }, patching)
    return todoId
  }
  const todos: string[] = []
  for (const title of ['a', 'b', 'c', 'd', 'e', 'f']) todos.push(await add(title))
  const gone = await add('gone')
  await good(`DELETE /todos/${gone}`)
  const [mary, jane, erased] = [
    await enrol(api, 'mary'),
    await enrol(api, 'jane'),
    await enrol(api, 'erased'),
  ]
  for (const { memberId } of [mary, jane, erased]) {
    await good(`PUT /members/${memberId}`, profile({ firstName: 'Mary' }))
    await good(`PUT /members/${memberId}`, profile({ firstName: 'Mary' }))
  }
  await good(`PUT /members/${jane.memberId}/credential`, { signId: 'janet', password: 'swordfish2' })
  await good(`PUT /members/${jane.memberId}/role`, { role: 'administrator' })
  await good(`DELETE /members/${(await enrol(api, 'left')).memberId}`)
  await good(`DELETE /members/${erased.memberId}?erase=true`)
  const key = await good('POST /keys', { name: 'k', scopes: ['todos:read'], expiresAt: null })
  await good('GET /todos', undefined, { authorization: `Bearer ${fieldOf(key, 'secret')}` })
  const webhook = await good('POST /webhooks', { url: 'http://127.0.0.1:9999/', types: ['key.deleted'] })
  const webhookId = fieldOf(webhook, 'webhookId')
  await good(`PATCH /webhooks/${webhookId}`, { active: false }, patching)
  const operations = [
    { method: 'POST', path: '/api/v1/todos', body: { todoTitle: 'batched' } },
    { method: 'PUT', path: `/api/v1/todos/${todos[0]}` },
  ]
  await good('POST /batch', { atomic: true, operations })
  await api.close()
  return { todos, gone, mary: mary.memberId, jane: jane.memberId, key: fieldOf(key, 'keyId'), webhookId }
}

const todoOf = async (db: Database, todoId: string) => {
  const [todo] = await db.read(sql`SELECT * FROM todo WHERE todo_id = ${todoId}`, todoTable.toRecord)
  assert.ok(todo)
  return todo
}

/** The number of a change, and what holds its value. */
const changeOf = async (db: Database, subject: string, version: number) => {
  const made = (row: object) => row as { number: number; value: string; checksum: number }
  const [one] = await db.read(
    sql`SELECT number, value, checksum FROM change WHERE subject = ${subject} AND version = ${version}`,
    made,
  )
  assert.ok(one)
  return one
}

const added = '01920000-0000-7000-8000-000000000001'

for (const { name, url: fresh, skip } of databases) {
  test(`${name}: verify finds records, values, indexes and triggers that differ from the log or the program`, {
    skip,
  }, async (t) => {
    const url = await fresh(t)
    const { todos, gone, mary, jane, key, webhookId } = await used(t, url)
    const [deleted = '', older = '', other = '', one = '', two = '', nulled = ''] = todos
    assert.deepEqual(await verified(url), { code: 0, found: [], err: '' })

    const db = await openDatabase(url)
    const first = await changeOf(db, one, 1)
    const second = await changeOf(db, two, 1)
    const third = await changeOf(db, nulled, 1)
    const ofJane = await changeOf(db, jane, 1)
    const setValue = (number: number, value: string | null, checksum: number | null) =>
      db.run(sql`UPDATE change SET value = ${value}, checksum = ${checksum} WHERE number = ${number}`)
    await setValue(first.number, second.value, second.checksum)
    await setValue(second.number, first.value, first.checksum)
    await setValue(third.number, null, null)
    await setValue(ofJane.number, null, null)
    await db.run(todoTable.update({ ...(await todoOf(db, older)), todoTitle: 'b', version: 1 }))
    await db.run(todoTable.update({ ...(await todoOf(db, other)), todoTitle: 'other' }))
    await db.run(todoTable.insert({ ...(await todoOf(db, two)), todoId: added }))
    await db.run(todoTable.insert({ ...(await todoOf(db, two)), todoId: gone }))
    await db.alter((tx) =>
      tx.exec(`
        DELETE FROM todo WHERE todo_id = '${deleted}';
        DELETE FROM credential WHERE member_id = '${mary}';
        DELETE FROM member WHERE member_id = '${mary}';
        UPDATE credential SET last_modified_at = last_modified_at - 1 WHERE member_id = '${jane}';
        UPDATE member SET address = 'Line two' WHERE member_id = '${jane}';
        DELETE FROM api_key WHERE key_id = '${key}';
        DELETE FROM webhook WHERE webhook_id = '${webhookId}'`),
    )
    await db.alter((tx) =>
      tx.exec(`
        CREATE TABLE of_others (number INTEGER);
        DROP INDEX todo_finished;
        DROP INDEX todo_created;
        CREATE INDEX todo_created ON todo (created_at, todo_id);
        CREATE INDEX todo_added ON todo (title_folded);
        ${triggers[db.engine]}`),
    )
    await db.close()

    const { code, found } = await verified(url)
    assert.equal(code, 3)
    for (const finding of [
      ...[`todo ${deleted}`, `member ${mary}`, `api_key ${key}`, `webhook ${webhookId}`].map(
        (record) => `${record}: the record is missing, and no change deletes it`,
      ),
      `todo ${older}: the record is older than its newest change`,
      `todo ${other}: the todoTitle differs from the newest change`,
      `todo ${added}: no change created the record`,
      `todo ${gone}: the newest change deletes the record`,
      `member ${jane}: the credential differs from the newest change`,
      `credential ${jane}: it is not as it was written: its checksum does not match`,
      `member ${jane}: it is not as it was written: its checksum does not match`,
      `value of change ${first.number}: the value belongs to another change`,
      `value of change ${second.number}: the value belongs to another change`,
      `value of change ${third.number}: the value is missing, and was not erased`,
      `value of change ${ofJane.number}: the value is missing, and was not erased`,
      'index todo_finished: missing',
      'index todo_created: the definition differs from that of this program',
      'index todo_added: this program does not create it',
      'trigger added: this program does not create it',
    ])
      assert.ok(found.includes(finding), `${finding} is not among ${found.join('\n')}`)
  })

  // The rest says nothing of the engine.
  if (name !== 'SQLite') continue

  test(`${name}: verify does not compare records whose changes are no longer in the log`, {
    skip,
  }, async (t) => {
    const url = await fresh(t)
    await used(t, url)
    const db = await openDatabase(url)
    await db.run(raw('DELETE FROM change WHERE number < (SELECT max(number) FROM change)'))
    await db.close()
    assert.deepEqual(await verified(url), { code: 0, found: [], err: '' })
  })
}

const triggers = {
  sqlite: 'CREATE TRIGGER added AFTER INSERT ON todo BEGIN DELETE FROM member WHERE FALSE; END',
  postgres: `
    CREATE FUNCTION added() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER added BEFORE INSERT ON todo FOR EACH ROW EXECUTE FUNCTION added()`,
}

test('if the PostgreSQL role lacks the right to compare the tables, verify reports that and compares everything else', {
  skip: noServer,
}, async (t) => {
  const url = new URL(await freshDatabase(t))
  await rollcall(['migrate'], { environment: { DATABASE_URL: url.href } })
  const role = `reader_${url.pathname.slice(1)}`
  await administer(url.href, `CREATE ROLE ${role} LOGIN PASSWORD 'reader'`)
  await administer(url.href, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
  url.username = role
  url.password = 'reader'
  const { code, found, err } = await verified(url.href)
  assert.deepEqual([code, found], [0, []])
  assert.match(
    err,
    /^The tables are not compared with those of this program, because the role may not create a schema/,
  )
})
