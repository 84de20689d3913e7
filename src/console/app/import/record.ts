import type { CsvFault } from '#core/csv.ts'

/** What a file is full of. */
export type Kind = 'members' | 'todos'

export interface FileRecord {
  /** Where in the file it begins, from 1; its place in an array. */
  readonly line: number
  /** As the API takes it; undefined where it is not sent. */
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Why it is not sent. */
  readonly fault?: Fault
}

export type Fault = 'unparsed' | 'wide' | 'finished'

export interface Batch {
  readonly kind: Kind
  /** What a place in the file is called. */
  readonly unit: 'line' | 'record'
  readonly records: readonly FileRecord[]
}

/** Why nothing of a file is read. */
export interface Unreadable {
  readonly why:
    | 'empty'
    | 'kind'
    | 'fields'
    | 'large'
    | 'encoding'
    | 'binary'
    | 'failed'
    | 'several'
    | CsvFault['fault']
  /** Where it is wrong, as far as that is one place. */
  readonly line?: number
}

/** Headings such as `credential.password`, or `password` alone. */
const ofCredential = /^(?:credential\.(.+)|(signId|password))$/

/** A flat record as the API takes it. */
export const bodyOf = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const body: Record<string, unknown> = {}
  const credential: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const [, dotted, bare] = ofCredential.exec(name) ?? []
    const inner = dotted ?? bare
    if (inner === undefined) body[name] = value
    else credential[inner] = value
  }
  return Object.keys(credential).length > 0 ? { ...body, credential } : body
}

/** Spreadsheets write TRUE. What is neither true nor false is no open todo, either. */
export const withFinished = (record: FileRecord): FileRecord => {
  const { finished, ...body } = record.body ?? {}
  if (finished === undefined || finished === null) return record
  const said = String(finished).trim().toLowerCase()
  if (said === '') return { ...record, body }
  if (said !== 'true' && said !== 'false') return { ...record, body: undefined, fault: 'finished' }
  return { ...record, body: { ...body, finished: said === 'true' } }
}

/** Told by the fields of the first record that could be read. */
export const kindOf = (records: readonly FileRecord[]): Kind | undefined => {
  const first = records.find(({ body }) => body)?.body ?? {}
  if ('todoTitle' in first) return 'todos'
  return 'firstName' in first || 'lastName' in first || 'emailAddress' in first ? 'members' : undefined
}
