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
import { type Job, replaceJob } from './store.ts'

/**
 * Checks rows against the current records: what each row would change, and which faults it has. The returned function stores the
 * results in the caller's transaction. There the rows also claim their unique values, in the order of their lines.
 */
export const checkRows = async (parts: CheckContext, job: Job, rows: readonly StagedRow[]) => {
  const { records } = parts
  const context = { mappable: parts.mappable, today: parts.today() }
  const interpreted = rows.map((row) => ({ row, ...interpretRow(row.cells, job, context) }))
  const referringRows = await resolveReferences(parts, job, interpreted)
  const match = matchFieldOf(job, records)
  const matchTexts = referringRows.map(({ fileValues }) => fileValues[match])
  const findMatching = await recordFinder(records, match, matchTexts)
  const earlier = await trackEarlierRows(parts, job, referringRows)
  const matchesOf = ({ fileValues }: InterpretedRow) => findMatching(fileValues[match])
  const keepNamed = await namedReferences(parts, job, referringRows.flatMap(matchesOf))
  const drafts = referringRows.map((row) => {
    const matches = matchesOf(row)
    const draft = toDraft(parts, job, { ...keepNamed(earlier.resolve(row), matches[0]), match, matches })
    earlier.remember(draft)
    return draft
  })
  await checkUnique(parts, job, drafts)
  return async (tx: Transaction): Promise<readonly StagedRow[]> => {
    await checkRepeated(parts, job, { drafts, tx })
    const checkedRows = drafts.map((draft) => toCheckedRow(draft, job, records.fields))
    await Promise.all(checkedRows.map((row) => parts.store.updateRow(tx, job.importId, row)))
    return checkedRows
  }
}

/** Checks one row again, without its earlier claims. */
export const checkAgain = async (parts: CheckContext, job: Job, row: StagedRow) => {
  const write = await checkRows(parts, job, [row])
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
export const checkCorrected = async (parts: CheckContext, job: Job, { row, values }: CorrectedRow) => {
  const correctedValues = Object.fromEntries(values.map(({ field, value }) => [field, value]))
  const cells = { ...row.cells, corrected: { ...row.cells.corrected, ...correctedValues } }
  const write = await checkAgain(parts, job, { ...row, cells })
  return async (tx: Transaction) => {
    const checked = await write(tx)
    const isReadyAgain = job.state === 'done' && checked.outcome !== 'refused'
    await replaceJob(tx, { ...job, version: job.version + 1, ...(isReadyAgain && { state: 'ready' }) })
    return checked
  }
}

interface MatchedRow extends InterpretedRow {
  readonly match: string
  readonly matches: readonly ExistingRecord[]
}

const toDraft = (parts: CheckContext, job: Job, { match, matches, ...interpreted }: MatchedRow): Draft => {
  const { records } = parts
  const ifExists = job.options.existing
  const { [roleField]: role, ...others } = withoutNullsOfRequired(interpreted.fileValues, records.fields)
  const setsRole = role !== undefined && ifExists === 'change'
  const fileValues = setsRole && maySetRoles(job.by) ? { ...others, [roleField]: role } : others
  const faults: Fault[] = []
  const addFault = faultAdder(parts, job, { fileValues, faults })
  const existing = matches.length === 1 ? matches[0] : undefined
  if (matches.length > 1) addFault({ code: 'SeveralRecords', target: match, args: { count: matches.length } })
  const isOnlyExisting = ifExists === 'change' || ifExists === 'delete'
  if (existing && ifExists === 'refuse') addFault({ code: 'ExistingRecord', target: match })
  if (existing && isOnlyExisting && isModifiedSince(interpreted.row, existing, job))
    addFault({ code: 'ChangedSince' })
  if (setsRole && !(roleField in fileValues)) addFault(roleNotGranted)
  const { fault } = interpreted.row.cells
  for (const one of fault ? [fault] : interpreted.unclear) addFault(one)
  // Deleting a record that does not exist changes nothing, so it is not a fault.
  if (!existing && ifExists === 'change') addFault(referenceMissing(match, job.resource))
  if (ifExists === 'delete' || (!existing && isOnlyExisting)) {
    const { [roleField]: _, ...before } = pick(Object.keys(records.fields), existing?.values ?? {})
    return {
      ...interpreted,
      fileValues,
      existing,
      values: {},
      before: existing && before,
      matchValues: {},
      faults,
    }
  }
  const newValues = { ...assignedId(parts, interpreted.row), ...interpreted.defaults, ...fileValues }
  const draft = existing ? { ...existing.values, ...fileValues } : withoutNulls(newValues)
  const record = fault ? {} : validate(parts, draft, addFault)
  const fields = Object.keys(records.fields).filter((field) =>
    existing ? field in fileValues : field in record && field !== roleField,
  )
  if (!existing && !fault) collectFaults(() => records.check?.(record), addFault)
  const isTable = Array.isArray(interpreted.row.cells.cells)
  const values = existing
    ? pickChanged(fields, record, { before: existing.values, isTable })
    : pick(fields, record)
  for (const field of Object.keys(values))
    if (existing && ((field.includes('.') && field !== roleField) || field === records.id))
      addFault({ code: 'NotImported', target: field })
  if (!existing && job.options.passwords === 'refuse' && passwordField in records.fields)
    if (fileValues[passwordField] == null) addFault({ code: 'NotNull', target: passwordField })
  const matchValues = records.matchValues(existing ? fileValues : record, !existing)
  return {
    ...interpreted,
    fileValues,
    existing,
    values,
    before: existing && pick(Object.keys(values), existing.values),
    matchValues,
    faults,
  }
}

/** Assigns the id of a new record to which other rows of the file may refer. The id stays the same if the row is checked again. */
const assignedId = ({ records, referredResource, newId }: CheckContext, { result }: StagedRow): Values => {
  const refersToOwn = records.references.some(({ field }) => referredResource(field)?.records === records)
  return refersToOwn ? { [records.id]: result?.values[records.id] ?? newId() } : {}
}

/** Validates a record against the schema of its resource, and adds a fault for each invalid value. Returns it with times in the form of answers. */
const validate = (parts: CheckContext, values: Values, addFault: AddFault): Values => {
  const { read, records } = parts
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
    // If a value has the wrong type, the schema does not report the faults of other fields, so these are validated without it.
    if (others) validate(parts, others, addFault)
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
    result: {
      values: pick(shown, values),
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
