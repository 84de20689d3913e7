import type { ColumnFault } from '#core/columns.ts'
import type { CsvFault } from '#core/csv.ts'

/** The kind of records in a file. */
export type Kind = 'members' | 'todos'

export interface FileRecord {
  /** The line where it begins, from 1, or its position in an array. */
  readonly line: number
  /** The record in the form of the API; undefined if it is not sent. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Why it is not sent. */
  readonly fault?: Fault
}

export type Fault = 'unparsed' | 'wide' | 'narrow' | 'finished'

export interface Batch {
  readonly kind: Kind
  /** What a place in the file is called: line or record. */
  readonly unit: 'line' | 'record'
  readonly records: readonly FileRecord[]
}

/** Why a file cannot be read at all: for its columns, or for another reason, which may have a place. */
export type Unreadable =
  | { readonly why: 'columns'; readonly faults: readonly ColumnFault[] }
  | { readonly why: UnreadableReason; readonly line?: number }

type UnreadableReason =
  | 'empty'
  | 'kind'
  | 'fields'
  | 'large'
  | 'encoding'
  | 'binary'
  | 'failed'
  | 'several'
  | 'hashes'
  | CsvFault['fault']

/** Headings such as `credential.password`, or `password` alone. */
const credentialHeading = /^(?:credential\.(.+)|(signId|password))$/

/** A flat record in the form of the API. */
export const bodyOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const body: Record<string, unknown> = {}
  const credential: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const [, dotted, bare] = credentialHeading.exec(name) ?? []
    const inner = dotted ?? bare
    if (inner === undefined) body[name] = value
    else credential[inner] = value
  }
  return Object.keys(credential).length > 0 ? { ...body, credential } : body
}

/** Any value other than true, false and null is a fault, not an open todo. */
export const withFinished = (record: FileRecord): FileRecord => {
  const finished = record.body?.finished ?? false
  return typeof finished === 'boolean' ? record : { ...record, body: undefined, fault: 'finished' }
}

/** An export into a file has the hashes, which no service accepts. */
export const hasHash = ({ body }: FileRecord): boolean => {
  const credential = body?.credential as { readonly passwordHash?: unknown } | null | undefined
  return (credential?.passwordHash ?? null) !== null
}

/** Determined by the fields of the first readable record. */
export const kindOf = (records: readonly FileRecord[]): Kind | undefined => {
  const first = records.find(({ body }) => body)?.body ?? {}
  if ('todoTitle' in first) return 'todos'
  return 'firstName' in first || 'lastName' in first || 'emailAddress' in first ? 'members' : undefined
}
