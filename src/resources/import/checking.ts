import { flatten } from '#core/csv.ts'
import { formatUtc, parseInstant } from '#core/formats.ts'
import { Problem, referenceMissing } from '#core/problem.ts'
import type { Fields } from '#core/schema.ts'
import type { ExistingRecord, Values } from '#resources/import-target.ts'
import type { Transaction } from '#sql/database.ts'
import { interpretRow, isSecret, passwordField, roleField, unflatten } from './interpreting.ts'
import { namedReferences, recordFinder, resolveReferences, trackEarlierRows } from './references.ts'
import { maySetRoles, roleNotGranted } from './rights.ts'
import {
  type AddFault,
  addFaultsOf,
  type CheckContext,
  checkRepeated,
  checkUnique,
  type Draft,
  faultAdder,
  type InterpretedRow,
  isModifiedSince,
  matchFieldOf,
} from './row-faults.ts'
import { pick, pickChanged, withoutNulls, withoutNullsOfRequired } from './row-values.ts'
import { dropClaims, type Fault, type StagedRow } from './rows.ts'
import { type Job, replaceJob, shownFields } from './store.ts'

/**
 * Compares rows with the current records, to find the changes and faults of each row. The returned function stores the results in
 * the caller's transaction, in which the rows also claim their unique values, in the order of their lines.
 */
export const checkRows = async (importable: CheckContext, job: Job, rows: readonly StagedRow[]) => {
  const { records, mappable, timeZone } = importable
  const context = { mappable, today: importable.today(), timeZone }
  const interpreted = rows.map((stagedRow) => ({ stagedRow, ...interpretRow(stagedRow.cells, job, context) }))
  const referringRows = await resolveReferences(importable, job, interpreted)
  const matchField = matchFieldOf(job, records)
  const matchTexts = referringRows.map(({ fileValues }) => fileValues[matchField])
  const findMatching = await recordFinder(records, matchField, matchTexts)
  const earlier = await trackEarlierRows(importable, job, referringRows)
  const matchesOf = ({ fileValues }: InterpretedRow) => findMatching(fileValues[matchField])
  const keepNamed = await namedReferences(importable, job, referringRows.flatMap(matchesOf))
  const drafts = referringRows.map((row) => {
    const matches = matchesOf(row)
    const resolved = keepNamed(earlier.resolve(row), matches[0])
    const draft = toDraft(importable, job, { ...resolved, matchField, matches })
    earlier.remember(draft)
    return draft
  })
  await checkUnique(importable, job, drafts)
  return async (tx: Transaction): Promise<readonly StagedRow[]> => {
    await checkRepeated(importable, job, { drafts, tx })
    const checkedRows = drafts.map((draft) => toCheckedRow(draft, job, records.fields))
    await Promise.all(checkedRows.map((row) => importable.store.updateRow(tx, job.importId, row)))
    return checkedRows
  }
}

/** Checks one row again, without its earlier claims. */
export const checkAgain = async (importable: CheckContext, job: Job, row: StagedRow) => {
  const write = await checkRows(importable, job, [row])
  return async (tx: Transaction): Promise<StagedRow> => {
    await dropClaims(tx, job.importId, row.line)
    const [checked = row] = await write(tx)
    return checked
  }
}

interface CorrectedRow {
  readonly row: StagedRow
  readonly values: readonly { readonly field: string; readonly value: string | null }[]
}

/** Checks one row with corrected values. Throws `Stale` if the import was changed meanwhile, for example applied. */
export const checkCorrected = async (importable: CheckContext, job: Job, { row, values }: CorrectedRow) => {
  const correctedValues = Object.fromEntries(values.map(({ field, value }) => [field, value]))
  const cells = { ...row.cells, corrected: { ...row.cells.corrected, ...correctedValues } }
  const write = await checkAgain(importable, job, { ...row, cells })
  return async (tx: Transaction) => {
    const checked = await write(tx)
    const isReadyAgain = job.state === 'done' && checked.outcome !== 'refused'
    const next = { ...job, version: job.version + 1, otherFields: shownFields(job, correctedValues) }
    await replaceJob(tx, { ...next, ...(isReadyAgain && { state: 'ready' }) })
    return checked
  }
}

interface MatchedRow extends InterpretedRow {
  readonly matchField: string
  readonly matches: readonly ExistingRecord[]
}

const toDraft = (
  importable: CheckContext,
  job: Job,
  { matchField, matches, ...interpreted }: MatchedRow,
): Draft => {
  const { records } = importable
  const ifExists = job.options.existing
  const { [roleField]: role, ...others } = withoutNullsOfRequired(interpreted.fileValues, records.fields)
  const setsRole = role !== undefined && ifExists === 'change'
  const fileValues = setsRole && maySetRoles(job.by) ? { ...others, [roleField]: role } : others
  const faults: Fault[] = []
  const addFault = faultAdder(importable, job, { fileValues, faults })
  const existing = matches.length === 1 ? matches[0] : undefined
  if (matches.length > 1)
    addFault({ code: 'SeveralRecords', target: matchField, args: { count: matches.length } })
  const needsExisting = ifExists === 'change' || ifExists === 'delete'
  if (existing && ifExists === 'refuse') addFault({ code: 'ExistingRecord', target: matchField })
  if (existing && needsExisting && isModifiedSince(interpreted.stagedRow, existing, job))
    addFault({ code: 'ChangedSince' })
  if (setsRole && !(roleField in fileValues)) addFault(roleNotGranted)
  const { fault } = interpreted.stagedRow.cells
  for (const one of fault ? [fault] : interpreted.valueFaults) addFault(one)
  // Deleting a record that does not exist changes nothing, so it is not a fault.
  if (!existing && ifExists === 'change') addFault(referenceMissing(matchField, job.resource))
  if (ifExists === 'delete' || (!existing && needsExisting)) {
    const { [roleField]: _, ...before } = pick(Object.keys(records.fields), existing?.values ?? {})
    const noValues = { values: {}, matchValues: {} }
    return { ...interpreted, ...noValues, fileValues, existing, before: existing && before, faults }
  }
  const assigned = assignedId(importable, interpreted.stagedRow)
  const newValues = { ...assigned, ...interpreted.defaults, ...fileValues }
  const draft = existing ? { ...existing.values, ...fileValues } : withoutNulls(newValues)
  const record = fault ? {} : validate(importable, draft, addFault)
  const fields = Object.keys(records.fields).filter((field) =>
    existing ? field in fileValues : field in record && field !== roleField,
  )
  if (!existing && !fault) collectFaults(() => records.check?.(record), addFault)
  const isTable = Array.isArray(interpreted.stagedRow.cells.cells)
  const values = existing
    ? pickChanged(fields, record, { before: existing.values, isTable })
    : pick(fields, record)
  for (const field of Object.keys(values))
    if (existing && ((field.includes('.') && field !== roleField) || field === records.id))
      addFault({ code: 'NotImported', target: field })
  if (!existing && job.options.passwords === 'refuse' && passwordField in records.fields)
    if (fileValues[passwordField] == null) addFault({ code: 'NotNull', target: passwordField })
  const matchValues = records.matchValues(existing ? fileValues : record, !existing)
  const before = existing && pick(Object.keys(values), existing.values)
  return { ...interpreted, fileValues, existing, values, before, matchValues, faults }
}

/** Assigns the id of a new record to which other rows of the file may refer. The id stays the same if the row is checked again. */
const assignedId = ({ records, referredResource, newId }: CheckContext, { result }: StagedRow): Values => {
  const refersToItself = records.references.some(({ field }) => referredResource(field)?.records === records)
  return refersToItself ? { [records.id]: result?.values[records.id] ?? newId() } : {}
}

/** Adds a fault for each value that the schema of the resource refuses. Returns the record with times as answers show them. */
const validate = (importable: CheckContext, values: Values, addFault: AddFault): Values => {
  const { read, records } = importable
  try {
    const record = flatten(read(unflatten({ ...nullsForNested(records.fields), ...values })) as Values)
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
    // Beside a value of a wrong type, the schema reports no other faults, so the other values are validated without it.
    if (others) validate(importable, others, addFault)
    return values
  }
}

/** Removes the values of a wrong type. Undefined if no value has a wrong type. */
const withoutWrongTypes = (values: Values, error: unknown): Values | undefined => {
  if (!(error instanceof Problem) || error.kind !== 'bodyUnreadable') return undefined
  const refused = error.withCodes.details.map(({ target }) => target)
  const others = Object.entries(values).filter(([field]) => !refused.includes(field))
  return others.length < Object.keys(values).length ? Object.fromEntries(others) : undefined
}

const collectFaults = (work: () => void, addFault: AddFault) => {
  try {
    work()
  } catch (error) {
    addFaultsOf(error, addFault)
  }
}

/** Null for each nested field, so that nested objects exist even if the row has no value for them. */
const nullsForNested = (fields: Fields) =>
  Object.fromEntries(Object.keys(fields).flatMap((field) => (field.includes('.') ? [[field, null]] : [])))

const toCheckedRow = (
  { stagedRow, existing, values, before, faults }: Draft,
  { options }: Job,
  fields: Fields,
): StagedRow => {
  const { secret = [], visible = [] } = Object.groupBy(Object.keys(values), (field) =>
    isSecret(fields, field) ? 'secret' : 'visible',
  )
  return {
    ...stagedRow,
    outcome: outcomeOf({ existing, values, faults }, options),
    recordId: existing?.id ?? null,
    result: {
      values: pick(visible, values),
      ...(secret.length > 0 && { secret: pick(secret, values) }),
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
