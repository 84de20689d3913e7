import { formatUtc, parseInstant } from '#core/formats.ts'
import { Problem } from '#core/problem.ts'
import { type Fields, isNullable, startingOf } from '#core/schema.ts'
import type { ExistingRecord, Importing, Values } from '#resources/importing.ts'
import type { Transaction } from '#sql/database.ts'
import { flattened, interpretRow, isSecret, nested, passwordField } from './interpreting.ts'
import {
  type Draft,
  type InterpretedRow,
  type JudgeParts,
  matchOf,
  type Refuse,
  refuseAll,
  refuseMissing,
  refuseRepeated,
  refuseTaken,
  refusing,
} from './refusals.ts'
import { disclaim, type Fault, type Staged } from './rows.ts'
import { type Job, replaceJob } from './store.ts'

/**
 * Judges rows against the present state of the database. The returned function stores the results in the caller's transaction;
 * there, rows claim unique values in the order of their lines.
 */
export const judgeRows = async (parts: JudgeParts, job: Job, rows: readonly Staged[]) => {
  const { importing } = parts
  const today = parts.today()
  const interpreted = rows.map((row) => ({
    row,
    ...interpretRow(row.cells, job, { known: parts.known, today }),
  }))
  const match = matchOf(job, importing)
  const matches = await matching(importing, match, interpreted)
  const drafts = interpreted.map((one, at) =>
    draftOf(parts, job, { ...one, match, found: matches[at] ?? [] }),
  )
  await refuseTaken(parts, job, drafts)
  await refuseMissing(parts, job, drafts)
  return async (tx: Transaction): Promise<readonly Staged[]> => {
    await refuseRepeated(parts, job, { drafts, tx })
    const judged = drafts.map((draft) => judgedRow(draft, job, importing.fields))
    await Promise.all(judged.map((row) => parts.store.updateRow(tx, job.importId, row)))
    return judged
  }
}

/** Judges one row again, after dropping its earlier claims. */
export const judgeAgain = async (parts: JudgeParts, job: Job, row: Staged) => {
  const write = await judgeRows(parts, job, [row])
  return async (tx: Transaction): Promise<Staged> => {
    await disclaim(tx, job.importId, row.line)
    const [judged = row] = await write(tx)
    return judged
  }
}

interface Corrected {
  readonly row: Staged
  readonly values: readonly { readonly field: string; readonly value: string | null }[]
}

/** Judges one row with other values. Throws `Moved` if the import is applied meanwhile. */
export const judgeCorrected = async (parts: JudgeParts, job: Job, { row, values }: Corrected) => {
  const others = Object.fromEntries(values.map(({ field, value }) => [field, value]))
  const cells = { ...row.cells, corrected: { ...row.cells.corrected, ...others } }
  const write = await judgeAgain(parts, job, { ...row, cells })
  return async (tx: Transaction) => {
    await replaceJob(tx, { ...job, version: job.version + 1 })
    return write(tx)
  }
}

/** Finds the existing records of each row by the match field. */
const matching = async (
  importing: Importing,
  match: string | undefined,
  interpreted: readonly InterpretedRow[],
) => {
  if (match === undefined) return interpreted.map(() => [])
  const keys = interpreted.map(({ given }) => importing.identities({ [match]: given[match] }, false)[match])
  const found = await importing.find(match, [...new Set(keys.filter((key) => key !== undefined))])
  const byKey = Map.groupBy(found, ({ by }) => by)
  return keys.map((key) => (key === undefined ? [] : (byKey.get(key) ?? [])))
}

interface Matched extends InterpretedRow {
  readonly match: string | undefined
  readonly found: readonly ExistingRecord[]
}

const draftOf = (parts: JudgeParts, job: Job, { match, found, ...interpreted }: Matched): Draft => {
  const { importing } = parts
  const given = withoutEmptyRequired(interpreted.given, importing.fields)
  const faults: Fault[] = []
  const refuse = refusing(parts, job, { given, faults })
  const known = found.length === 1 ? found[0] : undefined
  if (found.length > 1) refuse({ code: 'SeveralRecords', target: match ?? '', args: { count: found.length } })
  if (known && job.options.existing === 'refuse') refuse({ code: 'ExistingRecord', target: match ?? '' })
  const { fault } = interpreted.row.cells
  for (const one of fault ? [fault] : interpreted.unclear) refuse(one)
  const draft = known ? { ...known.values, ...given } : withoutEmpty({ ...interpreted.defaults, ...given })
  const whole = fault ? {} : valid(parts, draft, refuse)
  const fields = Object.keys(importing.fields).filter((field) => (known ? field in given : field in whole))
  if (!known && !fault) orRefused(() => importing.check?.(whole), refuse)
  const values = known ? differing(fields, whole, known.values) : picked(fields, whole)
  for (const field of Object.keys(values))
    if (known && (field.includes('.') || field === importing.id))
      refuse({ code: 'NotImported', target: field })
  if (!known && job.options.passwords === 'refuse' && passwordField in importing.fields)
    if (given[passwordField] == null) refuse({ code: 'NotNull', target: passwordField })
  const identities = importing.identities(known ? given : whole, !known)
  return {
    ...interpreted,
    given,
    known,
    values,
    before: known && picked(Object.keys(values), known.values),
    identities,
    faults,
  }
}

/** Leaves out empty values of a new record, so that its fields get their starting values. */
const withoutEmpty = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** Leaves out empty values of fields that are never null, so that the existing value stays. */
const withoutEmptyRequired = (values: Values, fields: Fields): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => {
      const schema = fields[field] ?? {}
      return value !== null || startingOf(schema) === undefined || isNullable(schema)
    }),
  )

const picked = (fields: readonly string[], values: Values): Values =>
  Object.fromEntries(
    fields.filter((field) => values[field] !== undefined).map((field) => [field, values[field]]),
  )

/** Passwords are ignored, because they cannot be compared. They count for new records only. */
const differing = (fields: readonly string[], given: Values, before: Values) =>
  picked(
    fields.filter((field) => field !== passwordField && (given[field] ?? null) !== (before[field] ?? null)),
    given,
  )

/** The record as the schema of the resource reads it, with instants as answers show them. Refuses invalid values. */
const valid = (parts: JudgeParts, values: Values, refuse: Refuse): Values => {
  const { read, importing } = parts
  try {
    const record = flattened(read(nested({ ...emptyNested(importing.fields), ...values })) as Values)
    return Object.fromEntries(
      Object.entries(record).map(([field, value]) => {
        const { format } = (importing.fields[field] ?? {}) as { readonly format?: string }
        const instant =
          format === 'date-time' && typeof value === 'string' ? parseInstant(value, 'UTC') : undefined
        return [field, instant === undefined ? value : formatUtc(instant)]
      }),
    )
  } catch (error) {
    refuseAll(error, refuse)
    const others = readable(values, error)
    // Values of a wrong type hide the faults of the others.
    if (others) valid(parts, others, refuse)
    return values
  }
}

/** The values without those of a wrong type. Undefined if none has one. */
const readable = (values: Values, error: unknown): Values | undefined => {
  if (!(error instanceof Problem) || error.kind !== 'bodyUnreadable') return undefined
  const refused = error.resolved.details.map(({ target }) => target)
  const others = Object.entries(values).filter(([field]) => !refused.includes(field))
  return others.length < Object.keys(values).length ? Object.fromEntries(others) : undefined
}

const orRefused = (work: () => void, refuse: Refuse) => {
  try {
    work()
  } catch (error) {
    refuseAll(error, refuse)
  }
}

/** Nested objects exist even if the row has no value for them. */
const emptyNested = (fields: Fields) =>
  Object.fromEntries(Object.keys(fields).flatMap((field) => (field.includes('.') ? [[field, null]] : [])))

const judgedRow = (
  { row, known, values, before, faults }: Draft,
  { options }: Job,
  fields: Fields,
): Staged => {
  const isSame = known !== undefined && (options.existing === 'skip' || Object.keys(values).length === 0)
  const outcome = faults.length > 0 ? 'refused' : isSame ? 'unchanged' : known ? 'changed' : 'new'
  const { shown, secret } = separateSecrets(values, fields)
  return {
    ...row,
    outcome,
    recordId: known?.id ?? null,
    judged: {
      values: shown,
      ...(secret && { secret }),
      ...(known && before && { before, version: known.version }),
      faults,
    },
  }
}

/** Separates values that may be shown from secrets. */
const separateSecrets = (values: Values, fields: Fields) => {
  const [secret, shown] = [true, false].map((which) =>
    Object.fromEntries(Object.entries(values).filter(([field]) => isSecret(fields, field) === which)),
  )
  return { shown: shown ?? {}, secret: secret && Object.keys(secret).length > 0 ? secret : undefined }
}
