import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { assembleResources } from '#resources/index.ts'
import type { Resource } from '#resources/resource.ts'
import { openDatabase } from '#sql/open.ts'
import { verifyTables } from '#src/app/tables.ts'
import { CodeList, Day, Nullable, Reference, resource, Text, Unique, Whole } from '#src/resource.ts'
import { databases } from '../engines.ts'
import { freshFolder } from '../fresh-folder.ts'
import { type Answer, startApp } from '../harness.ts'

const name = 'box'

/** Starts the service with another declaration of its boxes, asks it, and stops it again. */
const asked = async (
  t: TestContext,
  database: string,
  box: Resource,
  requests: readonly (readonly [line: string, body?: object])[] = [],
) => {
  const api = await startApp(t, { DATABASE_URL: database }, { resources: [box] })
  const answers: Answer[] = []
  for (const [line, body] of requests) answers.push(await api(line, body))
  await api.close()
  return answers
}

const faultsIn = async (url: string, box: Resource) => {
  const [rooms, db] = [assembleResources([box]), await openDatabase(url)]
  const rows = rooms.map((room) => Array.fromAsync(room.verify(db)))
  const faults = [...(await Promise.all(rows)).flat(), ...(await Array.fromAsync(verifyTables(db, rooms)))]
  await db.close()
  return faults
}

const idsIn = (answers: readonly Answer[]) =>
  answers.flatMap(({ body }) => [body as { boxId: string }].flat().map(({ boxId }) => boxId))

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

for (const { name: engine, url, skip } of databases)
  describe(`${engine}: the table of a resource whose declaration changed`, { skip }, () => {
    const plain = resource({ name, fields: { label: Text(1, 10), count: Nullable(Whole(1, 9)) } })
    const unique = resource({
      name,
      fields: { label: Unique(Text(1, 10)), count: Nullable(Unique(Whole(1, 9))) },
    })

    test('gets or loses the unique index of a field at the next start', async (t) => {
      const database = await url(t)
      const post = (label: string, count?: number) => ['POST /boxs', { label, count: count ?? null }] as const
      assert.deepEqual(statuses(await asked(t, database, plain, [post('one', 1), post('two')])), [201, 201])
      const taken = await asked(t, database, unique, [post('ONE'), post('new', 1), post('three', 3)])
      assert.deepEqual(statuses(taken), [409, 409, 201])
      assert.match(taken[0]?.text ?? '', /Another box has the same \\"label\\"/)
      assert.deepEqual(await faultsIn(database, unique), [])
      assert.deepEqual(statuses(await asked(t, database, plain, [post('one', 1)])), [201])
      assert.deepEqual(await faultsIn(database, plain), [])
    })

    test('stops the start if records have equal values of a field that is now unique', async (t) => {
      const database = await url(t)
      const made = await asked(t, database, plain, [
        ['POST /boxs', { label: 'one' }],
        ['POST /boxs', { label: 'One' }],
      ])
      const [one, other] = idsIn(made)
      await assert.rejects(
        asked(t, database, unique),
        new RegExp(
          `"label" of box is declared Unique, but the records ${one} and ${other} have the same value`,
        ),
      )
      assert.deepEqual(statuses(await asked(t, database, plain, [[`DELETE /boxs/${one}`]])), [204])
      await asked(t, database, unique)
    })

    test('gets or loses search columns if the type of a field changes, and refuses the change of a field into a reference', async (t) => {
      const database = await url(t)
      const label = (kind: ReturnType<typeof Text>) => resource({ name, fields: { label: kind } })
      const [text, codes] = [
        label(Text(1, 10)),
        label(CodeList('CL_BOX', ['big', 'small']) as ReturnType<typeof Text>),
      ]
      const big = ['POST /boxs', { label: 'big' }] as const
      assert.deepEqual(statuses(await asked(t, database, codes, [big])), [201])
      assert.equal(idsIn(await asked(t, database, text, [['GET /boxs?label=IG']])).length, 1)
      assert.deepEqual(statuses(await asked(t, database, text, [big])), [201])
      assert.deepEqual(await faultsIn(database, text), [])
      assert.deepEqual(statuses(await asked(t, database, codes, [big])), [201])
      assert.deepEqual(await faultsIn(database, codes), [])
      await assert.rejects(
        asked(t, database, label(Reference('member') as ReturnType<typeof Text>)),
        /the column of "label" /,
      )
    })

    test('is changed by a migration of its own, and verify finds nothing afterwards', async (t) => {
      const [database, folder] = [await url(t), freshFolder()]
      const fields = { label: Unique(Text(1, 10)), due: Nullable(Day) }
      const first = resource({ name, fields })
      const made = await asked(t, database, first, [['POST /boxs', { label: 'one', due: '2026-12-24' }]])
      const [boxId] = idsIn(made)
      const migrations = pathToFileURL(`${folder}/`)
      const second = resource({
        name,
        fields: { title: Unique(Text(1, 10)), dueOn: Nullable(Day) },
        migrations,
      })
      writeFileSync(
        join(folder, '001-names.sql'),
        'ALTER TABLE box RENAME COLUMN label TO title; ALTER TABLE box RENAME COLUMN due TO "dueOn";',
      )
      await assert.rejects(asked(t, database, second), /it has the column "dueOn", which belongs to no field/)
      writeFileSync(
        join(folder, '001-names.sql'),
        'ALTER TABLE box RENAME COLUMN label TO title; ALTER TABLE box RENAME COLUMN due TO due_on;',
      )
      const answers = await asked(t, database, second, [
        [`GET /boxs/${boxId}`],
        ['GET /boxs?title=ON'],
        ['POST /boxs', { title: 'ONE' }],
        [`DELETE /boxs/${boxId}`],
        [`POST /boxs/${boxId}/restore`],
      ])
      assert.partialDeepStrictEqual(answers[0]?.body, { title: 'one', dueOn: '2026-12-24' })
      assert.deepEqual(statuses(answers), [200, 200, 409, 204, 409])
      assert.deepEqual(idsIn(answers.slice(1, 2)), [boxId])
      assert.match(answers[4]?.text ?? '', /"code":"NotNull".*"target":"title"/)
      assert.deepEqual(await faultsIn(database, second), [])
    })

    test('is changed by a migration that renames or drops columns with an index, and a failed migration is named', async (t) => {
      const [database, folder] = [await url(t), freshFolder()]
      const [place, count] = [Nullable(Reference('member')), Nullable(Unique(Whole(1, 9)))]
      await asked(t, database, resource({ name, fields: { ownerId: place, first: count, second: count } }), [
        ['POST /boxs', { first: 1, second: 2 }],
      ])
      const migrations = pathToFileURL(`${folder}/`)
      const changed = resource({ name, fields: { keeperId: place, total: count }, migrations })
      const text = (old: string) =>
        `ALTER TABLE box RENAME COLUMN owner_id TO keeper_id; ALTER TABLE box RENAME COLUMN ${old} TO total;
         ALTER TABLE box DROP COLUMN second;`
      writeFileSync(join(folder, '001-names.sql'), text('third'))
      await assert.rejects(
        asked(t, database, changed),
        /^DataUnusable: The migration box\/001-names failed: /,
      )
      writeFileSync(join(folder, '001-names.sql'), text('first'))
      const posts = [1, 2].map((total) => ['POST /boxs', { total }] as const)
      assert.deepEqual(statuses(await asked(t, database, changed, posts)), [409, 201])
      assert.deepEqual(await faultsIn(database, changed), [])
    })
  })
