import { countCodePoints, isDate, isShowable, isXmlText } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import { isNullable, type Schema } from '#core/schema.ts'
import type { Database, Row, Transaction } from './database.ts'
import type { LogEntry } from './log-table.ts'
import { raw, sql, type Value } from './query.ts'
import { quoted, type Table } from './table.ts'

/** All records of a table, for copying between databases and files. */
export interface Records<T extends object = object> {
  /** For example `members`. */
  readonly name: string
  count(): Promise<number>
  /** Streams all records in batches, from one snapshot, in the order in which a copy inserts them. */
  stream(): AsyncIterable<readonly T[]>
  /** Writes the records that cause no conflict, in one transaction. Returns for each record whether it was written. */
  insert(records: readonly T[]): Promise<readonly boolean[]>
  /** Present if records have Nullable references. */
  readonly links?: Links<T>
}

/** If a record refers to one that is not copied yet, it is first copied without its Nullable references. Later, `link` adds them. */
interface Links<T> {
  /** True if records refer to records of the same table. */
  readonly isSelfReferring: boolean
  withoutLinks(record: T): T
  link(records: readonly T[]): Promise<unknown>
}

/** The records of a table. `toEntry` makes the log entry for each inserted record. */
export const tableRecords = <T extends object>(
  db: Database,
  table: Table<T>,
  toEntry?: (record: T) => LogEntry,
): Records<T> => {
  const { name, key, selected, toRecord } = table
  const insert = async (tx: Transaction, record: T) =>
    (await tx.run(sql`${table.insert(record)} ON CONFLICT DO NOTHING`)) === 1
  return {
    name,
    count: async () => (await db.scan(raw(`SELECT count(*) AS total FROM ${quoted(name)}`), toTotal))[0] ?? 0,
    stream: () => db.stream(raw(`SELECT ${selected} FROM ${quoted(name)} ORDER BY ${quoted(key)}`), toRecord),
    insert: insertion(db, insert, { toEntry, isDependent: (record) => refersToSameTable(table, record) }),
    ...linksOf(db, table),
  }
}

export const refersToSameTable = <T extends object>({ selfReferences }: Table<T>, record: T) =>
  selfReferences.some((field) => (record as FieldValues)[field] != null)

type FieldValues = Readonly<Record<string, Value>>

const linksOf = <T extends object>(db: Database, table: Table<T>): { readonly links?: Links<T> } => {
  const isOptional = (field: string) =>
    isNullable(table.columns.find((one) => one.field === field)?.schema ?? {})
  const fields = table.references.map(({ field }) => field).filter(isOptional)
  if (fields.length === 0) return {}
  const nullLinks = Object.fromEntries(fields.map((field) => [field, null]))
  const isLinked = (record: T) => fields.some((field) => (record as FieldValues)[field] != null)
  return {
    links: {
      isSelfReferring: table.selfReferences.length > 0,
      withoutLinks: (record) => ({ ...record, ...nullLinks }),
      link: (records) =>
        db.write((tx) => Promise.all(records.filter(isLinked).map((one) => tx.run(table.update(one))))),
    },
  }
}

interface InsertionOptions<T> {
  readonly toEntry?: ((record: T) => LogEntry) | undefined
  /** True if another record may have to be inserted before this one. */
  readonly isDependent?: (record: T) => boolean
}

/** Inserts records in one transaction. Sends all inserts at once, then repeats those that may have failed because of their order. */
export const insertion =
  <T>(
    db: Database,
    insert: (tx: Transaction, record: T) => Promise<boolean>,
    { toEntry, isDependent = () => false }: InsertionOptions<T> = {},
  ): ((records: readonly T[]) => Promise<readonly boolean[]>) =>
  (records) => {
    const entries = new Map(records.map((record) => [record, toEntry?.(record)]))
    const insertAndLog = async (tx: Transaction, record: T) => {
      const isInserted = await insert(tx, record)
      const entry = entries.get(record)
      if (isInserted && entry) await tx.append(entry)
      return isInserted
    }
    return db.write((tx) =>
      writeInRounds(records, { isDependent, write: (record) => insertAndLog(tx, record) }),
    )
  }

interface RoundsOptions<T> {
  readonly isDependent: (record: T) => boolean
  readonly write: (record: T) => Promise<boolean>
}

/** Writes all records. Then repeats the dependent records that failed, until a round writes none. */
const writeInRounds = async <T>(
  records: readonly T[],
  { isDependent, write }: RoundsOptions<T>,
): Promise<readonly boolean[]> => {
  const written = await Promise.all(records.map(write))
  for (let writtenBefore = -1; writtenBefore < written.filter(Boolean).length; ) {
    writtenBefore = written.filter(Boolean).length
    for (const [at, record] of records.entries())
      if (!written[at] && isDependent(record)) written[at] = await write(record)
  }
  return written
}

const toTotal = (row: Row) => Number(row.total)

/** A faulty record, and what is wrong with it. `verify --json` prints it with these names. */
export interface Finding {
  readonly what: string
  readonly id: string
  readonly says: string
}

/** A rule for the values of a record, and the message for a record that breaks it. */
export type Rule<T> = readonly [isMet: (record: T) => boolean, fault: string]

/** Finds rows that do not match their checksum, and rows with values that the service would not have written. */
export async function* faultyRows<T extends object>(
  db: Database,
  table: Table<T>,
  rules: readonly Rule<T>[] = [],
): AsyncGenerator<Finding> {
  const { name, key, selected, columns, derived } = table
  const others = [...derived, ...(table.hasChecksum ? ['checksum'] : [])].map(quoted)
  const query = raw(`SELECT ${[selected, ...others].join(', ')} FROM ${quoted(name)} ORDER BY ${quoted(key)}`)
  const findFaults = (row: Row) => {
    const record = table.toRecord(row)
    const values = record as Readonly<Record<string, Value>>
    const derivedValues = table.derive(record)
    const faults = [
      ...columns
        .filter(({ field, schema }) => !isValid(schema, values[field] ?? null))
        .map(({ field }) => `its ${inWords(field)} is not valid`),
      ...derived
        .filter((column, index) => row[column] !== derivedValues[index])
        .map((column) => `its ${column.replaceAll('_', ' ')} does not follow from its other values`),
      ...rules.filter(([isMet]) => !isMet(record)).map(([, fault]) => fault),
    ]
    if (table.hasChecksum && table.checksum(record) !== Number(row.checksum)) faults.push(checksumMismatch)
    return faults.map((says): Finding => ({ what: name, id: String(row[key]), says }))
  }
  for await (const batch of db.stream(query, findFaults)) for (const findings of batch) yield* findings
}

export const checksumMismatch = 'it is not as it was written: its checksum does not match'

const inWords = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const isValid = (schema: Schema, value: Value | readonly string[]): boolean => {
  const { format, zone, minimum, maximum, items, 'x-extensible-enum': codes, ...text } = schema
  if (value === null) return isNullable(schema)
  if (typeof value === 'boolean') return true
  if (items && Array.isArray(value)) return value.every((one) => isValid(items, one))
  if (zone) return isShowable(Number(value))
  if (minimum !== undefined)
    return (
      Number.isSafeInteger(value) &&
      Number(value) >= minimum &&
      !(Number(value) > (maximum ?? Number.POSITIVE_INFINITY))
    )
  if (codes) return codes.includes(String(value))
  if (format === 'uuid') return isId(String(value))
  if (format === 'date') return isDate(String(value))
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, plain } = text
  const length = countCodePoints(String(value))
  return length >= minLength && length <= maxLength && (!plain || isXmlText(String(value)))
}
