import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { databases } from '../engines.ts'
import { type Api, startApp } from '../harness.ts'
import { john } from '../people.ts'
import { loan } from '../resources/loan.ts'

type Values = Readonly<Record<string, unknown>>

interface Import extends Values {
  readonly importId: string
  readonly state: string
  readonly counts: Readonly<Record<string, number>>
  readonly track: string
}

interface Row {
  readonly line: number
  readonly outcome: string
  readonly recordId: string | null
  readonly isApplied: boolean
  readonly record: readonly { field: string; value: string | null; before: string | null }[]
  readonly faults: readonly { field: string | null; code: string; message: string; value: string | null }[]
}

const patch = { 'Content-Type': 'application/merge-patch+json' }

/** A table as a spreadsheet writes it. */
const csv = (headings: readonly string[], rows: readonly (readonly string[])[]) =>
  [headings, ...rows].map((cells) => cells.join(',')).join('\n')

const upload = async (api: Api, plural: string, file: string) => {
  const answer = await api(`POST /${plural}/imports?name=file.csv`, file, { 'Content-Type': 'text/csv' })
  assert.equal(answer.status, 201, answer.text)
  const made = answer.body as Import
  assert.equal(answer.headers.location, `${api.url}/api/v1/imports/${made.importId}`)
  return made.importId
}

/** The import, as soon as it is in this state. */
const until = async (api: Api, importId: string, state: string) => {
  for (;;) {
    const found = (await api(`GET /imports/${importId}`)).body as Import
    if (found.state === state) return found
    assert.notEqual(found.state, 'failed', JSON.stringify(found))
    await sleep(20)
  }
}

const rowsOf = async (api: Api, importId: string, outcome = '') => {
  const { body } = await api(`GET /imports/${importId}/rows?size=2000&${outcome && `outcome=${outcome}`}`)
  return (body as { content: readonly Row[] }).content
}

const act = async (api: Api, importId: string, action: string) => {
  const answer = await api(`POST /imports/${importId}/${action}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Import
}

interface Case {
  readonly name: string
  readonly plural: string
  readonly headings: readonly string[]
  /** A row that is different for each number. */
  readonly row: (number: number, memberId: string) => readonly string[]
  readonly options?: Values
  /** A column that may be changed, and a value of it that no record may have. */
  readonly field: string
  readonly wrong: string
}

const cases: readonly Case[] = [
  {
    ...{ name: 'todo', plural: 'todos', headings: ['todoId', 'todoTitle'], field: 'todoTitle' },
    row: (number) => [idOf(number), `Title ${number}`],
    wrong: 'x'.repeat(31),
  },
  {
    ...{
      name: 'loan',
      plural: 'loans',
      headings: ['memberId', 'title', 'shelf', 'due', 'kind'],
      field: 'title',
    },
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

const idOf = (number: number) => `019e6a3c-6c00-7000-8000-${String(number).padStart(12, '0')}`

const start = async (t: TestContext, url: string) => {
  const api = await startApp(t, { DATABASE_URL: url }, { resources: [loan] })
  const { memberId } = (await api('POST /members', john)).body as { memberId: string }
  return { api, memberId }
}

for (const { name: engine, url, skip } of databases)
  for (const { name, plural, headings, row, options = {}, field, wrong } of cases) {
    const at = headings.indexOf(field)
    const tableOf = (rows: readonly (readonly string[])[]) => csv(headings, rows)
    const changed = (cells: readonly string[], value: string) => cells.with(at, value)
    const ready = async (api: Api, file: string) => {
      const importId = await upload(api, plural, file)
      await until(api, importId, 'ready')
      if (Object.keys(options).length > 0) {
        const answer = await api(`PATCH /imports/${importId}`, { options }, patch)
        assert.equal(answer.status, 200, answer.text)
      }
      return until(api, importId, 'ready')
    }

    describe(`${engine}: a file of ${plural}`, { skip }, () => {
      test('is read, judged, corrected, applied, sent again with changes, and undone', async (t) => {
        const { api, memberId } = await start(t, await url(t))
        const rows = Array.from({ length: 60 }, (_, number) => row(number, memberId))
        const first = await ready(api, tableOf(rows.with(5, changed(row(5, memberId), wrong))))
        assert.deepEqual(first.counts, {
          rows: 60,
          new: 59,
          changed: 0,
          unchanged: 0,
          refused: 1,
          applied: 0,
        })
        const [refused] = await rowsOf(api, first.importId, 'refused')
        assert.partialDeepStrictEqual(refused, { line: 7, faults: [{ field, code: 'Size', value: wrong }] })
        const path = `/imports/${first.importId}/rows/7`
        const corrected = await api(`PATCH ${path}`, { values: [{ field, value: 'Right' }] }, patch)
        assert.equal((corrected.body as Row).outcome, 'new', corrected.text)
        await act(api, first.importId, 'apply')
        const done = await until(api, first.importId, 'done')
        assert.equal(done.counts.applied, 60)
        const changes = (await api(`GET /changes?types=${name}.created&size=100`)).body as {
          content: readonly { data: { track: string } }[]
        }
        assert.equal(changes.content.filter(({ data }) => data.track === done.track).length, 60)

        const again = rows
          .with(5, changed(row(5, memberId), 'Right'))
          .with(8, changed(row(8, memberId), 'Other'))
        const second = await ready(api, tableOf([...again, row(60, memberId)]))
        assert.deepEqual(second.counts, {
          rows: 61,
          new: 1,
          changed: 1,
          unchanged: 59,
          refused: 0,
          applied: 0,
        })
        const [other] = await rowsOf(api, second.importId, 'changed')
        assert.deepEqual(other?.record, [{ field, value: 'Other', before: row(8, memberId)[at] }])
        await act(api, second.importId, 'apply')
        await until(api, second.importId, 'done')
        const one = `/${plural}/${other?.recordId}`
        assert.equal(((await api(`GET ${one}`)).body as Values)[field], 'Other')
        await act(api, second.importId, 'undo')
        const undone = await until(api, second.importId, 'undone')
        assert.equal(undone.counts.applied, 0)
        assert.equal(((await api(`GET ${one}`)).body as Values)[field], row(8, memberId)[at])
      })
    })
  }
