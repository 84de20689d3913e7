import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { databases } from '../engines.ts'
import { startApp } from '../harness.ts'
import { john } from '../people.ts'
import { loan } from '../resources/loan.ts'
import { csv, type Import, importsOf, patch } from './imports.ts'

type Values = Readonly<Record<string, unknown>>

interface Case {
  readonly name: string
  readonly plural: string
  readonly headings: readonly string[]
  /** A row that is different for each number. */
  readonly row: (number: number, memberId: string) => readonly string[]
  readonly options?: Values
  /** A column that may be changed, and an invalid value for it. */
  readonly field: string
  readonly wrong: string
}

const cases: readonly Case[] = [
  {
    ...{ name: 'loan', plural: 'loans', field: 'title' },
    headings: ['memberId', 'title', 'shelf', 'due', 'kind'],
    row: (number, memberId) => [memberId, `Title ${number}`, `S${number}`, '2026-12-24', 'book'],
    wrong: 'x'.repeat(61),
  },
  {
    ...{ name: 'member', plural: 'members', field: 'lastName', options: { passwords: 'none' } },
    headings: ['firstName', 'lastName', 'genderCode', 'dateOfBirth', 'emailAddress'],
    row: (number) => ['Ann', `Name ${number}`, '0', '1990-01-02', `ann${number}@example.com`],
    wrong: 'x'.repeat(129),
  },
]

const start = async (t: TestContext, url: string) => {
  const api = await startApp(t, { DATABASE_URL: url }, { resources: [loan] })
  const { memberId } = (await api('POST /members', john)).body as { memberId: string }
  return { api, memberId, imports: importsOf(api) }
}

// Loans stand for declared resources. On the second engine only members are tested, because they have several tables.
for (const { name: engine, url, skip } of databases)
  for (const { name, plural, headings, row, options, field, wrong } of cases.slice(
    engine === 'SQLite' ? 0 : 1,
  )) {
    const at = headings.indexOf(field)
    const changed = (cells: readonly string[], value: string) => cells.with(at, value)

    const ready = async (
      { imports }: Awaited<ReturnType<typeof start>>,
      rows: readonly (readonly string[])[],
    ) => {
      const importId = await imports.upload(plural, csv(headings, rows))
      await imports.in(importId, 'ready')
      if (options) await imports.change(importId, { options })
      return imports.in(importId, 'ready')
    }

    describe(`${engine}: a file of ${plural}`, { skip }, () => {
      test('is read, validated, corrected, applied, sent again with changes, and undone', async (t) => {
        const started = await start(t, await url(t))
        const { api, memberId, imports } = started
        const rows = Array.from({ length: 60 }, (_, number) => row(number, memberId))
        const first = await ready(started, rows.with(5, changed(row(5, memberId), wrong)))
        assert.deepEqual(first.counts, {
          rows: 60,
          new: 59,
          changed: 0,
          deleted: 0,
          unchanged: 0,
          refused: 1,
          applied: 0,
        })
        const [refused] = await imports.rows(first.importId, 'refused')
        assert.partialDeepStrictEqual(refused, { line: 7, faults: [{ field, code: 'Size', value: wrong }] })
        const corrected = await imports.correct(first.importId, 7, [{ field, value: 'Right' }])
        assert.equal(corrected.outcome, 'new')
        await imports.act(first.importId, 'apply')
        const done = await imports.in(first.importId, 'done')
        assert.equal(done.counts.applied, 60)
        const changes = (await api(`GET /changes?types=${name}.created&size=100`)).body as {
          content: readonly { data: { track: string } }[]
        }
        assert.equal(changes.content.filter(({ data }) => data.track === done.track).length, 60)

        const again = rows
          .with(5, changed(row(5, memberId), 'Right'))
          .with(8, changed(row(8, memberId), 'Other'))
        const second = await ready(started, [...again, row(60, memberId)])
        assert.deepEqual(second.counts, {
          rows: 61,
          new: 1,
          changed: 1,
          deleted: 0,
          unchanged: 59,
          refused: 0,
          applied: 0,
        })
        const [other] = await imports.rows(second.importId, 'changed')
        assert.deepEqual(other?.record, [{ field, value: 'Other', before: row(8, memberId)[at] }])
        await imports.act(second.importId, 'apply')
        await imports.in(second.importId, 'done')
        const one = `/${plural}/${other?.recordId}`
        assert.equal(((await api(`GET ${one}`)).body as Values)[field], 'Other')
        await imports.act(second.importId, 'undo')
        const undone = await imports.in(second.importId, 'undone')
        assert.equal(undone.counts.applied, 0)
        assert.equal(((await api(`GET ${one}`)).body as Values)[field], row(8, memberId)[at])
      })

      test('skips records that changed after the validation, and when undone, records that changed after the import', async (t) => {
        const started = await start(t, await url(t))
        const { api, memberId, imports } = started
        const rows = [1, 2, 3].map((number) => row(number, memberId))
        const first = await ready(started, rows)
        await imports.act(first.importId, 'apply')
        await imports.in(first.importId, 'done')
        const second = await ready(
          started,
          rows.map((cells) => changed(cells, 'Wanted')),
        )
        assert.equal(second.counts.changed, 3)
        const [one, two] = await imports.rows(second.importId, 'changed')
        await api(`PATCH /${plural}/${one?.recordId}`, { [field]: 'Mine' }, patch)
        await imports.act(second.importId, 'apply')
        const left = await imports.in(second.importId, 'ready')
        assert.deepEqual([left.counts.applied, left.counts.changed], [2, 3])
        assert.equal(((await api(`GET /${plural}/${one?.recordId}`)).body as Values)[field], 'Mine')
        const [anew] = await imports.rows(second.importId, 'changed')
        assert.deepEqual(anew?.record, [{ field, value: 'Wanted', before: 'Mine' }])

        await api(`PATCH /${plural}/${two?.recordId}`, { [field]: 'Since' }, patch)
        await imports.act(second.importId, 'undo')
        const undone = await imports.in(second.importId, 'undone')
        assert.equal(undone.counts.applied, 1)
        const [kept] = await imports.rows(second.importId, 'applied')
        assert.equal(kept?.recordId, two?.recordId)
        assert.equal(kept?.faults[0]?.code, 'ChangedSince')
        assert.equal(((await api(`GET /${plural}/${two?.recordId}`)).body as Values)[field], 'Since')
      })

      test('applies the other rows of a transaction if another request took the unique value of one row', async (t) => {
        const started = await start(t, await url(t))
        const { api, memberId, imports } = started
        const rows = [1, 2, 3, 4, 5].map((number) => row(number, memberId))
        const { importId } = await ready(started, rows)
        const taking = Object.fromEntries(headings.map((heading, index) => [heading, rows[2]?.[index]]))
        const credential = name === 'member' ? { credential: { password: 'demodemo' } } : {}
        assert.equal((await api(`POST /${plural}`, { ...taking, ...credential })).status, 201)
        await imports.act(importId, 'apply')
        const { counts } = await imports.until(importId, ({ state }) => ['ready', 'done'].includes(state))
        assert.deepEqual([counts.applied, counts.new], [4, 4])
        const { content } = (await api(`GET /${plural}?page=0&size=9`)).body as { content: readonly Values[] }
        const written = content.map((one) => one[field]).filter((value) => value !== john.lastName)
        assert.deepEqual(written.toSorted(), rows.map((cells) => cells[at]).toSorted())
      })

      test('can be stopped and continued, and each row is applied once', async (t) => {
        const started = await start(t, await url(t))
        const { api, memberId, imports } = started
        const rows = Array.from({ length: 300 }, (_, number) => row(number, memberId))
        const { importId } = await ready(started, rows)
        await imports.act(importId, 'apply')
        await imports.until(importId, ({ counts }) => (counts.applied ?? 0) > 0)
        const stopped = (await api(`POST /imports/${importId}/stop`)).body as Import
        assert.ok(['stopped', undefined].includes(stopped.state), JSON.stringify(stopped))
        if (stopped.state === 'stopped') await imports.act(importId, 'apply')
        const done = await imports.in(importId, 'done')
        assert.equal(done.counts.applied, 300)
        const { headers } = await api(`GET /${plural}?page=0&size=1`)
        assert.equal(headers['x-total-count'], String(name === 'member' ? 301 : 300))
      })

      test('every answer has the counts of the version in its entity tag, while rows are corrected', async (t) => {
        const started = await start(t, await url(t))
        const { api, memberId, imports } = started
        const rows = Array.from({ length: 20 }, (_, number) => changed(row(number, memberId), wrong))
        const { importId } = await ready(started, rows)
        const answers: Awaited<ReturnType<typeof api>>[] = []
        let isCorrected = false
        const readers = Array.from({ length: 8 }, async () => {
          while (!isCorrected) answers.push(await api(`GET /imports/${importId}`))
        })
        for (const [index] of rows.entries())
          await imports.correct(importId, index + 2, [{ field, value: `Right ${index}` }])
        isCorrected = true
        await Promise.all(readers)
        // Each correction adds one to the version and takes one from the refused rows.
        const sums = answers.map(({ headers, body }) => {
          const version = Number.parseInt(String(headers.etag).slice(1), 10)
          return version + ((body as Import).counts.refused ?? 0)
        })
        assert.deepEqual([...new Set(sums)].length, 1, String(sums))
      })

      // The rest says nothing of the engine.
      if (engine !== 'SQLite') return

      test('names the rows that share a unique value', async (t) => {
        const started = await start(t, await url(t))
        const { memberId, imports } = started
        const rows = [1, 2, 3].map((number) => row(number, memberId))
        const { importId, counts } = await ready(started, [...rows, rows[1]?.with(at, 'Copy') ?? []])
        assert.deepEqual([counts.new, counts.refused], [3, 1])
        const [copy] = await imports.rows(importId, 'refused')
        const faults = copy?.faults.map(({ code, message }) => ({ code, isNamed: message.includes('3') }))
        assert.deepEqual(faults?.[0], { code: 'DuplicateRow', isNamed: true })
      })
    })
  }

test('a row whose code is in no code list names the codes of the list', async (t) => {
  const { memberId, imports } = await start(t, 'sqlite::memory:')
  const row = [memberId, 'Emma', 'S1', '2026-12-24', 'film']
  const importId = await imports.upload('loans', csv(['memberId', 'title', 'shelf', 'due', 'kind'], [row]))
  await imports.in(importId, 'ready')
  const [refused] = await imports.rows(importId, 'refused')
  assert.deepEqual(refused?.faults, [
    {
      field: 'kind',
      code: 'ExistInCodeList',
      message: '"kind" must exist in code list of CL_LOAN.',
      value: 'film',
      allowed: ['book', 'tool'],
      byRule: false,
    },
  ])
})

test('a row that a rule refuses is marked, because its message is that of the rule', async (t) => {
  const { memberId, imports } = await start(t, 'sqlite::memory:')
  const row = [memberId, 'Emma', 'S1', '1999-12-24', 'book']
  const importId = await imports.upload('loans', csv(['memberId', 'title', 'shelf', 'due', 'kind'], [row]))
  await imports.in(importId, 'ready')
  await imports.act(importId, 'apply')
  await imports.in(importId, 'done')
  const [refused] = await imports.rows(importId, 'refused')
  assert.deepEqual(
    refused?.faults.map(({ code, byRule }) => [code, byRule]),
    [['Past', true]],
  )
})
