import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../harness.ts'

type Values = Readonly<Record<string, unknown>>
type Call = (
  line: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Pick<Answer, 'status' | 'text' | 'body' | 'headers'>>

export interface Import extends Values {
  readonly importId: string
  readonly state: string
  readonly counts: Readonly<Record<string, number>>
  readonly track: string
  readonly open: readonly string[]
  readonly columns: readonly { heading: string; field: string | null; samples: readonly string[] }[]
}

export interface Row {
  readonly line: number
  readonly outcome: string
  readonly recordId: string | null
  readonly isApplied: boolean
  readonly record: readonly { field: string; value: string | null; before: string | null }[]
  readonly faults: readonly {
    field: string | null
    code: string
    message: string
    value: string | null
    allowed: readonly string[] | null
    byRule: boolean
  }[]
}

export const patch = { 'Content-Type': 'application/merge-patch+json' }

/** A table as a spreadsheet writes it. */
export const csv = (headings: readonly string[], rows: readonly (readonly string[])[]) =>
  [headings, ...rows].map((cells) => cells.join(',')).join('\n')

/** The calls of the import API. */
export const importsOf = (api: Call) => {
  const done = async (line: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await api(line, body, headers)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }

  const until = async (importId: string, isDone: (found: Import) => boolean): Promise<Import> => {
    for (;;) {
      const found = (await done(`GET /imports/${importId}`)) as Import
      if (isDone(found)) return found
      assert.notEqual(found.state, 'failed', JSON.stringify(found))
      await sleep(20)
    }
  }

  return {
    until,
    /** The import, as soon as it is in this state. */
    in: (importId: string, state: string) => until(importId, (found) => found.state === state),

    async upload(plural: string, file: string | Buffer) {
      const answer = await api(`POST /${plural}/imports?name=file.csv`, file, { 'Content-Type': 'text/csv' })
      assert.equal(answer.status, 201, answer.text)
      const { importId } = answer.body as Import
      assert.match(answer.headers.location ?? '', new RegExp(`/api/v1/imports/${importId}$`))
      return importId
    },

    async rows(importId: string, outcome = '') {
      const wanted = outcome && `&outcome=${outcome}`
      return ((await done(`GET /imports/${importId}/rows?size=100${wanted}`)) as { content: readonly Row[] })
        .content
    },

    act: async (importId: string, action: string) =>
      (await done(`POST /imports/${importId}/${action}`)) as Import,

    change: async (importId: string, change: Values) =>
      (await done(`PATCH /imports/${importId}`, change, patch)) as Import,

    correct: async (importId: string, line: number, values: readonly Values[]) =>
      (await done(`PATCH /imports/${importId}/rows/${line}`, { values }, patch)) as Row,
  }
}
