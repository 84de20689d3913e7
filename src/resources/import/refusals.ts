import { isId } from '#core/id.ts'
import { Problem, type ResolvedMessage, referenceMissing } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import type { BodyReader } from '#http/message/body/validation.ts'
import { errorBody } from '#http/wire/errors.ts'
import type { ExistingRecord, Importing, Values } from '#resources/importing.ts'
import type { Database, Transaction } from '#sql/database.ts'
import { statement } from '#sql/query.ts'
import { quoted, snake } from '#sql/table.ts'
import type { KnownColumns } from './columns.ts'
import { type Interpreted, isSecret } from './interpreting.ts'
import { claim, type Fault, type Staged } from './rows.ts'
import type { ImportStore, Job } from './store.ts'

export interface JudgeParts {
  readonly db: Database
  readonly store: Pick<ImportStore, 'updateRow'>
  readonly importing: Importing
  readonly words: Words
  readonly known: KnownColumns
  /** The current date. */
  today(): string
  read(body: unknown): ReturnType<BodyReader>
}

/** The field that identifies records: the chosen one, or the first identifying field of the file. */
export const matchOf = ({ columns, options }: Pick<Job, 'columns' | 'options'>, { known }: Importing) =>
  options.match ?? Object.keys(known).find((name) => columns.some(({ field }) => field === name))

export interface InterpretedRow extends Interpreted {
  readonly row: Staged
}

export interface Draft extends InterpretedRow {
  readonly known: ExistingRecord | undefined
  readonly values: Values
  readonly before: Values | undefined
  readonly identities: Readonly<Record<string, string>>
  readonly faults: Fault[]
}

export type Refuse = (message: ResolvedMessage) => void

interface FaultyRow {
  readonly given: Values
  readonly faults: Fault[]
}

/** Records a fault with its value, unless the value is secret. */
export const refusing =
  ({ words, importing }: JudgeParts, { options }: Job, { given, faults }: FaultyRow): Refuse =>
  (message) => {
    const field = message.target ?? null
    if (faults.some((one) => one.field === field)) return
    const isShown = field !== null && !isSecret(importing.fields, field)
    const value = isShown ? (given[field] ?? null) : null
    const { target: _, ...body } = errorBody({ ...message, details: [] }, words, options.locale)
    faults.push({ field, ...body, value: value === null ? null : String(value) })
  }

export const refuseAll = (error: unknown, refuse: Refuse) => {
  if (!(error instanceof Problem)) throw error
  const { details, ...only } = error.resolved
  for (const detail of details.length > 0 ? details : [only]) refuse(detail)
}

/** Refuses a unique value that another record has. */
export const refuseTaken = async (parts: JudgeParts, job: Job, drafts: readonly Draft[]) => {
  const { importing } = parts
  for (const [field, { isUnique }] of Object.entries(importing.known)) {
    const wanted = drafts.flatMap(({ identities }) => identities[field] ?? [])
    if (!isUnique || wanted.length === 0) continue
    const owners = new Map((await importing.find(field, [...new Set(wanted)])).map((one) => [one.by, one.id]))
    for (const draft of drafts) {
      const owner = owners.get(draft.identities[field] ?? '')
      if (owner === undefined || owner === draft.known?.id) continue
      refusing(parts, job, draft)({ code: 'ExistingRecord', target: field })
    }
  }
}

/** Refuses references to records that do not exist. */
export const refuseMissing = async (parts: JudgeParts, job: Job, drafts: readonly Draft[]) => {
  for (const { field, table, column } of parts.importing.references) {
    const ids = [...new Set(drafts.flatMap(({ values }) => idsIn(values[field])))]
    if (ids.length === 0) continue
    const holders = ids.map(() => '?').join(', ')
    const text = `SELECT ${quoted(column)} AS id FROM ${quoted(table)} WHERE ${quoted(column)} IN (${holders})`
    const there = new Set(await parts.db.read(statement(text, ids, []), (row) => String(row.id)))
    const isOwn = column === snake(parts.importing.id)
    if (isOwn) for (const id of await claimed(parts, job, ids)) there.add(id)
    for (const draft of drafts) {
      if (idsIn(draft.values[field]).some((id) => !there.has(id)))
        refusing(parts, job, draft)(referenceMissing(field, table.replaceAll('_', ' ')))
      const { [parts.importing.id]: id } = draft.identities
      if (isOwn && id !== undefined && draft.faults.length === 0) there.add(id)
    }
  }
}

/** Those of these ids that earlier rows of the file have. */
const claimed = ({ db, importing }: JudgeParts, { importId, round }: Job, ids: readonly string[]) => {
  const holders = ids.map(() => '?').join(', ')
  const text = `SELECT value FROM import_key WHERE import_id = ? AND round = ? AND name = ? AND value IN (${holders})`
  return db.read(statement(text, [importId, round, importing.id, ...ids], []), (row) => String(row.value))
}

/** The schema refuses any other value. */
const idsIn = (value: unknown) => (typeof value === 'string' && isId(value) ? [value] : [])

/** Refuses a unique value that an earlier row of the file has. */
export const refuseRepeated = async (
  parts: JudgeParts,
  job: Job,
  { drafts, tx }: { readonly drafts: readonly Draft[]; readonly tx: Transaction },
) => {
  const match = matchOf(job, parts.importing) ?? ''
  const claims = drafts.flatMap((draft) => {
    const names = Object.entries(draft.identities).filter(([name]) => parts.importing.known[name]?.isUnique)
    const own = names.map(([name, value]) => ({ draft, name, value, target: name }))
    return draft.known ? [...own, { draft, name: 'record', value: draft.known.id, target: match }] : own
  })
  const owners = await Promise.all(
    claims.map(({ draft, name, value }) => claim(tx, job, { name, value, line: draft.row.line })),
  )
  for (const [at, { draft, name, value, target }] of claims.entries()) {
    const line = owners[at]
    if (line === undefined) continue
    // A sign id may follow from another field.
    const given = name === target ? { [target]: value, ...draft.given } : draft.given
    refusing(parts, job, { ...draft, given })({ code: 'DuplicateRow', target, args: { line } })
  }
}
