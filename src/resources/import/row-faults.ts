import type { Messages } from '#core/error-table.ts'
import { parseInstant } from '#core/formats.ts'
import type { NewId } from '#core/id.ts'
import { type CodedMessage, Problem } from '#core/problem.ts'
import type { BodyReader } from '#http/message/body/validation.ts'
import { errorBody } from '#http/wire/errors.ts'
import type { ExistingRecord, ImportTarget, Values } from '#resources/import-target.ts'
import type { Database, Transaction } from '#sql/database.ts'
import type { MappableFields } from './columns.ts'
import { type InterpretedValues, isSecret } from './interpreting.ts'
import { claimOrFindLine, type Fault, type StagedRow } from './rows.ts'
import type { ImportableResource } from './service.ts'
import type { ImportStore, Job } from './store.ts'

export interface CheckContext {
  readonly db: Database
  readonly store: Pick<ImportStore, 'updateRow'>
  /** The resource into which rows are imported. */
  readonly records: ImportTarget
  readonly messages: Messages
  readonly mappable: MappableFields
  /** The current date. */
  today(): string
  /** The zone of times in files that name none. */
  readonly timeZone: string
  read(body: unknown): ReturnType<BodyReader>
  /** The resource to which a field refers. */
  referredResource(field: string): ImportableResource | undefined
  readonly newId: NewId
}

/** The field by which rows are matched with records: the chosen one, or the first identifying field of the file. Empty if there is none. */
export const matchFieldOf = (
  { columns, options }: Pick<Job, 'columns' | 'options'>,
  { matchFields }: ImportTarget,
) =>
  options.match ?? Object.keys(matchFields).find((name) => columns.some(({ field }) => field === name)) ?? ''

export interface InterpretedRow extends InterpretedValues {
  readonly stagedRow: StagedRow
}

export interface Draft extends InterpretedRow {
  readonly existing: ExistingRecord | undefined
  readonly values: Values
  readonly before: Values | undefined
  readonly matchValues: Readonly<Record<string, string>>
  readonly faults: Fault[]
}

export type AddFault = (message: CodedMessage) => void

interface FaultyRow {
  readonly fileValues: Values
  readonly faults: Fault[]
}

/** Adds faults to a row: only the first of each field, and without the value if it is secret. */
export const faultAdder =
  ({ messages, records }: CheckContext, { options }: Job, { fileValues, faults }: FaultyRow): AddFault =>
  (message) => {
    const field = message.target ?? null
    if (faults.some((one) => one.field === field)) return
    const isValueShown = field !== null && !isSecret(records.fields, field)
    const value = isValueShown ? (fileValues[field] ?? null) : null
    const { target: _, ...body } = errorBody({ ...message, details: [] }, messages, options.locale)
    faults.push({ field, ...body, value: value === null ? null : String(value) })
  }

/** Adds a fault for each detail of a refusal. Throws any other error. */
export const addFaultsOf = (error: unknown, addFault: AddFault) => {
  if (!(error instanceof Problem)) throw error
  const { details, ...only } = error.withCodes
  for (const detail of details.length > 0 ? details : [only]) addFault(detail)
}

/** True if the record was modified after the time that the row has in `lastModifiedAt`. */
export const isModifiedSince = (
  { cells: { cells } }: StagedRow,
  { values }: ExistingRecord,
  { columns }: Job,
) => {
  const fileValue = Array.isArray(cells)
    ? cells[columns.findIndex(({ heading }) => heading === modifiedField)]
    : (cells as Values)[modifiedField]
  const [row, record] = [fileValue, values[modifiedField]].map((text) => parseInstant(String(text), 'UTC'))
  return row !== undefined && record !== undefined && row < record
}

const modifiedField = 'lastModifiedAt'

/** Adds a fault for each unique value that another record has. */
export const checkUnique = async (importable: CheckContext, job: Job, drafts: readonly Draft[]) => {
  const { records } = importable
  for (const [field, { isUnique }] of Object.entries(records.matchFields)) {
    const matchValuesOfDrafts = drafts.flatMap(({ matchValues }) => matchValues[field] ?? [])
    if (!isUnique || matchValuesOfDrafts.length === 0) continue
    const owners = new Map(
      (await records.find(field, [...new Set(matchValuesOfDrafts)])).map((one) => [one.foundBy, one.id]),
    )
    for (const draft of drafts) {
      const owner = owners.get(draft.matchValues[field] ?? '')
      if (owner === undefined || owner === draft.existing?.id) continue
      faultAdder(importable, job, draft)({ code: 'ExistingRecord', target: field })
    }
  }
}

/** Adds a fault for each unique value, and each record, that an earlier row of the file has claimed. */
export const checkRepeated = async (
  importable: CheckContext,
  job: Job,
  { drafts, tx }: { readonly drafts: readonly Draft[]; readonly tx: Transaction },
) => {
  const matchField = matchFieldOf(job, importable.records)
  const claims = drafts.flatMap((draft) => {
    const names = Object.entries(draft.matchValues).filter(
      ([name]) => importable.records.matchFields[name]?.isUnique,
    )
    const values = names.map(([name, value]) => ({ draft, name, value, target: name }))
    return draft.existing
      ? [...values, { draft, name: 'record', value: draft.existing.id, target: matchField }]
      : values
  })
  const earlierLines = await Promise.all(
    claims.map(({ draft, name, value }) =>
      claimOrFindLine(tx, job, { name, value, line: draft.stagedRow.line }),
    ),
  )
  for (const [at, { draft, name, value, target }] of claims.entries()) {
    const line = earlierLines[at]
    if (line === undefined) continue
    // The row itself may lack the repeated value, because a sign id can be derived from another field.
    const fileValues = name === target ? { [target]: value, ...draft.fileValues } : draft.fileValues
    faultAdder(importable, job, { ...draft, fileValues })({ code: 'DuplicateRow', target, args: { line } })
  }
}
