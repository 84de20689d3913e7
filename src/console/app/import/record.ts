import { credentialFields, profile, profileFields } from '#console/app/members/fields.ts'
import type { Words } from '#console/app/words/index.ts'
import { type ColumnFault, type Columns, readHeader } from '#core/columns.ts'
import type { CsvFields } from '#core/csv.ts'

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

export type Fault = keyof Words['import']['faults']

export interface Batch {
  readonly kind: Kind
  /** What a place in the file is called: line or record. */
  readonly unit: 'line' | 'record'
  readonly records: readonly FileRecord[]
}

/** Why a file cannot be read at all: for its columns, or for another reason, which may have a place. */
export type Unreadable =
  | { readonly why: 'columns'; readonly faults: readonly ColumnFault[] }
  | { readonly why: keyof Words['import']['unreadableReasons']; readonly line?: number }

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

/** The columns that a person fills in. */
export const filled = {
  members: [...profileFields, ...credentialFields],
  todos: ['todoTitle', 'finished'],
} as const

/** What a file may have, as for `rollcall import`: an export also has what only a service writes. */
export const columns: Readonly<Record<Kind, Columns>> = {
  members: {
    known: [
      ...filled.members,
      'memberId',
      'credential.passwordHash',
      'credential.passwordLastChangedAt',
      'credential.lastModifiedAt',
      'credential.role',
      'credential.roleChangedAt',
      'createdAt',
      'lastModifiedAt',
    ],
    required: [
      ...profileFields.filter((field) => !profile[field].isOptional).map((field) => [field]),
      ['credential.password', 'credential.passwordHash'],
    ],
  },
  todos: { known: [...filled.todos, 'todoId', 'createdAt'], required: [['todoTitle']] },
}

/** Whether no file does without this column, or one that stands in for it. */
export const isRequired = (kind: Kind, column: string) =>
  columns[kind].required.some((equivalents) => equivalents.includes(column))

/** The header line, and the kind of records that it fits best; undefined if it names no column of either. */
export const headerOf = (headings: CsvFields) =>
  (['members', 'todos'] as const)
    .flatMap((kind) => {
      const header = readHeader(headings, columns[kind])
      return typeof header === 'string' ? [] : [{ kind, ...header }]
    })
    .toSorted((one, other) => one.faults.length - other.faults.length)[0]

/** As people name it: `signId` for `credential.signId`. */
export const shortName = (column: string) => column.replace(/^credential\./, '')
