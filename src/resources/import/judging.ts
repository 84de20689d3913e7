import { flatten } from '#core/csv.ts'
import { formatUtc, parseInstant } from '#core/formats.ts'
import { Problem, referenceMissing } from '#core/problem.ts'
import { type Fields, isNullable, startingValueOf } from '#core/schema.ts'
import type { ExistingRecord, Values } from '#resources/import-target.ts'
import type { Transaction } from '#sql/database.ts'
import { interpretRow, isSecret, nested, passwordField, roleField } from './interpreting.ts'
import { earlierRows, recordsBy, resolveReferences } from './references.ts'
import { maySetRoles, roleNotGranted } from './rights.ts'
import {
  type AddFault,
  addFaultsOf,
  checkRepeated,
  checkUnique,
  type Draft,
  faultAdder,
  type InterpretedRow,
  isModifiedSince,
  type JudgeParts,
  matchFieldOf,
} from './row-faults.ts'
import { dropClaims, type Fault, type StagedRow } from './rows.ts'
import { type Job, replaceJob } from './store.ts'

/**
 * Judges rows against the present state of the database. The returned function stores the results in the caller's transaction,
 * in which the rows claim unique values in the order of their lines.
 */
export const judgeRows = async (parts: JudgeParts, job: Job, rows: readonly StagedRow[]) => {
  const { records } = parts
  const today = parts.today()
  const interpreted = rows.map((row) => ({
    row,
    ...interpretRow(row.cells, job, { mappable: parts.mappable, today }),
  }))
  const referring = await resolveReferences(parts, job, interpreted)
  const match = matchFieldOf(job, records)
  const matching = await recordsBy(
    records,
    match,
    referring.map(({ given }) => given[match]),
  )
  const earlier = await earlierRows(parts, job, referring)
  const drafts = referring.map((row) => {
    const draft = toDraft(parts, job, { ...earlier.resolved(row), match, found: matching(row.given[match]) })
    earlier.note(draft)
    return draft
  })
  await checkUnique(parts, job, drafts)
  return async (tx: Transaction): Promise<readonly StagedRow[]> => {
    await checkRepeated(parts, job, { drafts, tx })
    const judged = drafts.map((draft) => judgedRow(draft, job, records.fields))
    await Promise.all(judged.map((row) => parts.store.updateRow(tx, job.importId, row)))
    return judged
  }
}

/** Judges one row again, after dropping its earlier claims. */
export const judgeAgain = async (parts: JudgeParts, job: Job, row: StagedRow) => {
  const write = await judgeRows(parts, job, [row])
  return async (tx: Transaction): Promise<StagedRow> => {
    await dropClaims(tx, job.importId, row.line)
    const [judged = row] = await write(tx)
    return judged
  }
}

interface Corrected {
  readonly row: StagedRow
  readonly values: readonly { readonly field: string; readonly value: string | null }[]
}

/** Judges one row with corrected values. Throws `Stale` if the import has changed, as when it is applied meanwhile. */
export const judgeCorrected = async (parts: JudgeParts, job: Job, { row, values }: Corrected) => {
  const others = Object.fromEntries(values.map(({ field, value }) => [field, value]))
  const cells = { ...row.cells, corrected: { ...row.cells.corrected, ...others } }
  const write = await judgeAgain(parts, job, { ...row, cells })
  return async (tx: Transaction) => {
    const judged = await write(tx)
    const isReadyAgain = job.state === 'done' && judged.outcome !== 'refused'
    await replaceJob(tx, { ...job, version: job.version + 1, ...(isReadyAgain && { state: 'ready' }) })
    return judged
  }
}

interface Matched extends InterpretedRow {
  readonly match: string
  readonly found: readonly ExistingRecord[]
}

const toDraft = (parts: JudgeParts, job: Job, { match, found, ...interpreted }: Matched): Draft => {
  const { records } = parts
  const does = job.options.existing
  const { [roleField]: role, ...others } = withoutEmptyRequired(interpreted.given, records.fields)
  const setsRole = role !== undefined && does === 'change'
  const given = setsRole && maySetRoles(job.by) ? { ...others, [roleField]: role } : others
  const faults: Fault[] = []
  const addFault = faultAdder(parts, job, { given, faults })
  const existing = found.length === 1 ? found[0] : undefined
  if (found.length > 1) addFault({ code: 'SeveralRecords', target: match, args: { count: found.length } })
  const isOnlyExisting = does === 'change' || does === 'delete'
  if (existing && does === 'refuse') addFault({ code: 'ExistingRecord', target: match })
  if (existing && isOnlyExisting && isModifiedSince(interpreted.row, existing, job))
    addFault({ code: 'ChangedSince' })
  if (setsRole && !(roleField in given)) addFault(roleNotGranted)
  const { fault } = interpreted.row.cells
  for (const one of fault ? [fault] : interpreted.unclear) addFault(one)
  // To delete what is gone already changes nothing.
  if (!existing && does === 'change') addFault(referenceMissing(match, job.resource))
  if (does === 'delete' || (!existing && isOnlyExisting)) {
    const { [roleField]: _, ...before } = picked(Object.keys(records.fields), existing?.values ?? {})
    return {
      ...interpreted,
      given,
      existing,
      values: {},
      before: existing && before,
      matchValues: {},
      faults,
    }
  }
  const made = { ...ownId(parts, interpreted.row), ...interpreted.defaults, ...given }
  const draft = existing ? { ...existing.values, ...given } : withoutEmpty(made)
  const whole = fault ? {} : validated(parts, draft, addFault)
  const fields = Object.keys(records.fields).filter((field) =>
    existing ? field in given : field in whole && field !== roleField,
  )
  if (!existing && !fault) addingFaults(() => records.check?.(whole), addFault)
  const values = existing ? differing(fields, whole, existing.values) : picked(fields, whole)
  for (const field of Object.keys(values))
    if (existing && ((field.includes('.') && field !== roleField) || field === records.id))
      addFault({ code: 'NotImported', target: field })
  if (!existing && job.options.passwords === 'refuse' && passwordField in records.fields)
    if (given[passwordField] == null) addFault({ code: 'NotNull', target: passwordField })
  const matchValues = records.matchValues(existing ? given : whole, !existing)
  return {
    ...interpreted,
    given,
    existing,
    values,
    before: existing && picked(Object.keys(values), existing.values),
    matchValues,
    faults,
  }
}

/** The id of a new record that other rows of the file may refer to. It stays if the row is judged again. */
const ownId = ({ records, referred, newId }: JudgeParts, { judged }: StagedRow): Values => {
  const refersToOwn = records.references.some(({ field }) => referred(field)?.records === records)
  return refersToOwn ? { [records.id]: judged?.values[records.id] ?? newId() } : {}
}

/** Leaves out empty values of a new record, so that its fields get their starting values. */
const withoutEmpty = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** Leaves out empty values of fields that are never null, so that the existing value stays. */
const withoutEmptyRequired = (values: Values, fields: Fields): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => {
      const schema = fields[field] ?? {}
      return value !== null || startingValueOf(schema) === undefined || isNullable(schema)
    }),
  )

const picked = (fields: readonly string[], values: Values): Values =>
  Object.fromEntries(
    fields.filter((field) => values[field] !== undefined).map((field) => [field, values[field]]),
  )

/** Picks the values that differ. Passwords are ignored, because they cannot be compared: only a new record gets one. */
const differing = (fields: readonly string[], given: Values, before: Values) =>
  picked(
    fields.filter((field) => field !== passwordField && (given[field] ?? null) !== (before[field] ?? null)),
    given,
  )

/** The record as the schema of the resource reads it, with instants in the form of answers. Adds a fault for each invalid value. */
const validated = (parts: JudgeParts, values: Values, addFault: AddFault): Values => {
  const { read, records } = parts
  try {
    const record = flatten(read(nested({ ...nestedAsNull(records.fields), ...values })) as Values)
    return Object.fromEntries(
      Object.entries(record).map(([field, value]) => {
        const { format } = records.fields[field] ?? {}
        const instant =
          format === 'date-time' && typeof value === 'string' ? parseInstant(value, 'UTC') : undefined
        return [field, instant === undefined ? value : formatUtc(instant)]
      }),
    )
  } catch (error) {
    addFaultsOf(error, addFault)
    const others = withoutWrongTypes(values, error)
    // While a value has the wrong type, the schema does not report the faults of other fields.
    if (others) validated(parts, others, addFault)
    return values
  }
}

/** The values without those of a wrong type. Undefined if no value has a wrong type. */
const withoutWrongTypes = (values: Values, error: unknown): Values | undefined => {
  if (!(error instanceof Problem) || error.kind !== 'bodyUnreadable') return undefined
  const refused = error.resolved.details.map(({ target }) => target)
  const others = Object.entries(values).filter(([field]) => !refused.includes(field))
  return others.length < Object.keys(values).length ? Object.fromEntries(others) : undefined
}

const addingFaults = (work: () => void, addFault: AddFault) => {
  try {
    work()
  } catch (error) {
    addFaultsOf(error, addFault)
  }
}

/** Nested objects exist even if the row has no value for them. */
const nestedAsNull = (fields: Fields) =>
  Object.fromEntries(Object.keys(fields).flatMap((field) => (field.includes('.') ? [[field, null]] : [])))

const judgedRow = (
  { row, existing, values, before, faults }: Draft,
  { options }: Job,
  fields: Fields,
): StagedRow => {
  const { secret = [], shown = [] } = Object.groupBy(Object.keys(values), (field) =>
    isSecret(fields, field) ? 'secret' : 'shown',
  )
  return {
    ...row,
    outcome: outcomeOf({ existing, values, faults }, options),
    recordId: existing?.id ?? null,
    judged: {
      values: picked(shown, values),
      ...(secret.length > 0 && { secret: picked(secret, values) }),
      ...(existing && before && { before, version: existing.version }),
      faults,
    },
  }
}

const outcomeOf = (
  { existing, values, faults }: Pick<Draft, 'existing' | 'values' | 'faults'>,
  options: Job['options'],
): StagedRow['outcome'] => {
  if (faults.length > 0) return 'refused'
  if (options.existing === 'delete') return existing ? 'deleted' : 'unchanged'
  if (!existing) return 'new'
  return options.existing === 'skip' || Object.keys(values).length === 0 ? 'unchanged' : 'changed'
}
