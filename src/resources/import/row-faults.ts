import type { Messages } from '#core/error-table.ts'
import { parseInstant } from '#core/formats.ts'
import type { NewId } from '#core/id.ts'
import { Problem, type ResolvedMessage } from '#core/problem.ts'
import type { BodyReader } from '#http/message/body/validation.ts'
import { errorBody } from '#http/wire/errors.ts'
import type { ExistingRecord, ImportTarget, Values } from '#resources/import-target.ts'
import type { Database, Transaction } from '#sql/database.ts'
import type { MappableFields } from './columns.ts'
import { type Interpreted, isSecret } from './interpreting.ts'
import { claimOrFindLine, type Fault, type StagedRow } from './rows.ts'
import type { Imported } from './service.ts'
import type { ImportStore, Job } from './store.ts'

export interface JudgeParts {
  readonly db: Database
  readonly store: Pick<ImportStore, 'updateRow'>
  /** The records that rows become. */
  readonly records: ImportTarget
  readonly words: Messages
  readonly mappable: MappableFields
  /** The current date. */
  today(): string
  read(body: unknown): ReturnType<BodyReader>
  /** The resource that a field refers to. */
  referred(field: string): Imported | undefined
  readonly newId: NewId
}

/** The field that identifies records: the chosen one, or the first identifying field of the file. Empty if there is none. */
export const matchFieldOf = (
  { columns, options }: Pick<Job, 'columns' | 'options'>,
  { matchFields }: ImportTarget,
) =>
  options.match ?? Object.keys(matchFields).find((name) => columns.some(({ field }) => field === name)) ?? ''

export interface InterpretedRow extends Interpreted {
  readonly row: StagedRow
}

export interface Draft extends InterpretedRow {
  readonly existing: ExistingRecord | undefined
  readonly values: Values
  readonly before: Values | undefined
  readonly matchValues: Readonly<Record<string, string>>
  readonly faults: Fault[]
}

export type AddFault = (message: ResolvedMessage) => void

interface FaultyRow {
  readonly given: Values
  readonly faults: Fault[]
}

/** Returns a function that adds a fault to a row: only the first of each field, and without its value if that is secret. */
export const faultAdder =
  ({ words, records }: JudgeParts, { options }: Job, { given, faults }: FaultyRow): AddFault =>
  (message) => {
    const field = message.target ?? null
    if (faults.some((one) => one.field === field)) return
    const isShown = field !== null && !isSecret(records.fields, field)
    const value = isShown ? (given[field] ?? null) : null
    const { target: _, ...body } = errorBody({ ...message, details: [] }, words, options.locale)
    faults.push({ field, ...body, value: value === null ? null : String(value) })
  }

/** Adds the faults that a refusal names. */
export const addFaultsOf = (error: unknown, addFault: AddFault) => {
  if (!(error instanceof Problem)) throw error
  const { details, ...only } = error.resolved
  for (const detail of details.length > 0 ? details : [only]) addFault(detail)
}

/** Whether the record was modified after the row was written, if the row says when its record was last modified. */
export const isModifiedSince = (
  { cells: { cells } }: StagedRow,
  { values }: ExistingRecord,
  { columns }: Job,
) => {
  const stated = Array.isArray(cells)
    ? cells[columns.findIndex(({ heading }) => heading === modifiedField)]
    : (cells as Values)[modifiedField]
  const [row, record] = [stated, values[modifiedField]].map((text) => parseInstant(String(text), 'UTC'))
  return row !== undefined && record !== undefined && row < record
}

const modifiedField = 'lastModifiedAt'

/** Adds a fault for each unique value that another record has. */
export const checkUnique = async (parts: JudgeParts, job: Job, drafts: readonly Draft[]) => {
  const { records } = parts
  for (const [field, { isUnique }] of Object.entries(records.matchFields)) {
    const wanted = drafts.flatMap(({ matchValues }) => matchValues[field] ?? [])
    if (!isUnique || wanted.length === 0) continue
    const owners = new Map(
      (await records.find(field, [...new Set(wanted)])).map((one) => [one.foundBy, one.id]),
    )
    for (const draft of drafts) {
      const owner = owners.get(draft.matchValues[field] ?? '')
      if (owner === undefined || owner === draft.existing?.id) continue
      faultAdder(parts, job, draft)({ code: 'ExistingRecord', target: field })
    }
  }
}

/** Adds a fault for each unique value that an earlier row of the file has. */
export const checkRepeated = async (
  parts: JudgeParts,
  job: Job,
  { drafts, tx }: { readonly drafts: readonly Draft[]; readonly tx: Transaction },
) => {
  const match = matchFieldOf(job, parts.records)
  const claims = drafts.flatMap((draft) => {
    const names = Object.entries(draft.matchValues).filter(
      ([name]) => parts.records.matchFields[name]?.isUnique,
    )
    const values = names.map(([name, value]) => ({ draft, name, value, target: name }))
    return draft.existing
      ? [...values, { draft, name: 'record', value: draft.existing.id, target: match }]
      : values
  })
  const earlierLines = await Promise.all(
    claims.map(({ draft, name, value }) => claimOrFindLine(tx, job, { name, value, line: draft.row.line })),
  )
  for (const [at, { draft, name, value, target }] of claims.entries()) {
    const line = earlierLines[at]
    if (line === undefined) continue
    // A sign id can be derived from another field, so the row may not state the duplicate value itself.
    const given = name === target ? { [target]: value, ...draft.given } : draft.given
    faultAdder(parts, job, { ...draft, given })({ code: 'DuplicateRow', target, args: { line } })
  }
}
