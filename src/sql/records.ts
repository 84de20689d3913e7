import { codePoints, isDate, isShowable, isXmlText } from '#core/formats.ts'
import { isId } from '#core/id.ts'
import { isNullable, type Schema } from '#core/schema.ts'
import type { Database, Row, Transaction } from './database.ts'
import type { LogEntry } from './log-table.ts'
import { raw, sql, type Value } from './query.ts'
import { quoted, type Table } from './table.ts'

/** All records of one kind, for copying between databases and files. */
export interface Records<T extends object = object> {
  /** For example `members`. */
  readonly name: string
  count(): Promise<number>
  /** Streams all records in batches, from one snapshot and in an order that a copy preserves. */
  stream(): AsyncIterable<readonly T[]>
  /** Writes the records that cause no conflict, in one transaction. Returns for each whether it was written. */
  insert(records: readonly T[]): Promise<readonly boolean[]>
  /** Present if records have Nullable references. */
  readonly links?: Links<T>
}

/** Records that cannot be copied because they refer to others are copied first without their Nullable references, then with them. */
interface Links<T> {
  /** Whether records refer to others of their own table. */
  readonly isOwn: boolean
  unlinked(record: T): T
  link(records: readonly T[]): Promise<unknown>
}

/** The records of a table. `entryOf` makes the log entry of each inserted record. */
export const tableRecords = <T extends object>(
  db: Database,
  table: Table<T>,
  entryOf?: (record: T) => LogEntry,
): Records<T> => {
  const { name, key, selected, make } = table
  const insert = async (tx: Transaction, record: T) =>
    (await tx.run(sql`${table.insert(record)} ON CONFLICT DO NOTHING`)) === 1
  return {
    name,
    count: async () => (await db.scan(raw(`SELECT count(*) AS total FROM ${quoted(name)}`), toTotal))[0] ?? 0,
    stream: () => db.stream(raw(`SELECT ${selected} FROM ${quoted(name)} ORDER BY ${quoted(key)}`), make),
    insert: insertion(db, insert, { entryOf, isDependent: (record) => refersToOwn(table, record) }),
    ...linksOf(db, table),
  }
}

/** Whether a record refers to one of its own table. */
export const refersToOwn = <T extends object>({ ownReferences }: Table<T>, record: T) =>
  ownReferences.some((field) => (record as Values)[field] != null)

type Values = Readonly<Record<string, Value>>

const linksOf = <T extends object>(db: Database, table: Table<T>): { readonly links?: Links<T> } => {
  const isOptional = (field: string) =>
    isNullable(table.columns.find((one) => one.field === field)?.schema ?? {})
  const fields = table.references.map(({ field }) => field).filter(isOptional)
  if (fields.length === 0) return {}
  const none = Object.fromEntries(fields.map((field) => [field, null]))
  const isLinked = (record: T) => fields.some((field) => (record as Values)[field] != null)
  return {
    links: {
      isOwn: table.ownReferences.length > 0,
      unlinked: (record) => ({ ...record, ...none }),
      link: (records) =>
        db.write((tx) => Promise.all(records.filter(isLinked).map((one) => tx.run(table.update(one))))),
    },
  }
}

interface Inserting<T> {
  readonly entryOf?: ((record: T) => LogEntry) | undefined
  /** Whether a record may need another one to be inserted first. */
  readonly isDependent?: (record: T) => boolean
}

/** Inserts records in one transaction. Sends all inserts at once, and repeats those that depended on other records. */
export const insertion =
  <T>(
    db: Database,
    insert: (tx: Transaction, record: T) => Promise<boolean>,
    { entryOf, isDependent = () => false }: Inserting<T> = {},
  ): ((records: readonly T[]) => Promise<readonly boolean[]>) =>
  (records) => {
    const entries = new Map(records.map((record) => [record, entryOf?.(record)]))
    const inserted = async (tx: Transaction, record: T) => {
      const isInserted = await insert(tx, record)
      const entry = entries.get(record)
      if (isInserted && entry) await tx.append(entry)
      return isInserted
    }
    return db.write((tx) => writeInRounds(records, { isDependent, write: (record) => inserted(tx, record) }))
  }

interface Rounds<T> {
  readonly isDependent: (record: T) => boolean
  readonly write: (record: T) => Promise<boolean>
}

/** Writes all records. Then repeats the dependent ones that failed, as long as each round writes some. */
const writeInRounds = async <T>(
  records: readonly T[],
  { isDependent, write }: Rounds<T>,
): Promise<readonly boolean[]> => {
  const written = await Promise.all(records.map(write))
  for (let before = -1; before < written.filter(Boolean).length; ) {
    before = written.filter(Boolean).length
    for (const [at, record] of records.entries())
      if (!written[at] && isDependent(record)) written[at] = await write(record)
  }
  return written
}

const toTotal = (row: Row) => Number(row.total)

/** A faulty record, and what is wrong with it. */
export interface Finding {
  readonly what: string
  readonly id: string
  readonly says: string
}

/** A rule for the values of a record, and the message for a record that breaks it. */
export type Rule<T> = readonly [isKept: (record: T) => boolean, fault: string]

/** Finds rows that changed since they were written, and rows with values that the service would not have written. */
export async function* faultyRows<T extends object>(
  db: Database,
  table: Table<T>,
  rules: readonly Rule<T>[] = [],
): AsyncGenerator<Finding> {
  const { name, key, selected, columns, derived } = table
  const others = [...derived, ...(table.isChecked ? ['checksum'] : [])].map(quoted)
  const all = raw(`SELECT ${[selected, ...others].join(', ')} FROM ${quoted(name)} ORDER BY ${quoted(key)}`)
  const judged = (row: Row) => {
    const record = table.make(row)
    const values = record as Readonly<Record<string, Value>>
    const derivation = table.derive(record)
    const faults = [
      ...columns
        .filter(({ field, schema }) => !isValid(schema, values[field] ?? null))
        .map(({ field }) => `its ${spoken(field)} is not valid`),
      ...derived
        .filter((column, index) => row[column] !== derivation[index])
        .map((column) => `its ${column.replaceAll('_', ' ')} does not follow from its other values`),
      ...rules.filter(([isKept]) => !isKept(record)).map(([, fault]) => fault),
    ]
    if (table.isChecked && table.checksum(record) !== Number(row.checksum)) faults.push(checksumMismatch)
    return faults.map((says): Finding => ({ what: name, id: String(row[key]), says }))
  }
  for await (const batch of db.stream(all, judged)) for (const findings of batch) yield* findings
}

export const checksumMismatch = 'it is not as it was written: its checksum does not match'

const spoken = (field: string) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Whether the field may hold the value. */
export const isValid = (field: Schema, value: Value | readonly string[]): boolean => {
  const { format, zone, minimum, maximum, items, 'x-extensible-enum': codes, ...text } = field
  if (value === null) return isNullable(field)
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
  const length = codePoints(String(value))
  return length >= minLength && length <= maxLength && (!plain || isXmlText(String(value)))
}
