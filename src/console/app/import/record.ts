import type { ErrorDetail } from '#client/index.ts'
import { credentialFields, profile, profileFields } from '#console/app/members/fields.ts'
import type { Words } from '#console/app/words/index.ts'
import { type Choices, type Columns, readHeader } from '#core/columns.ts'
import type { CsvFields } from '#core/csv.ts'
import { foreignMember } from '#resources/member/foreign.ts'
import { todoDeclaration } from '#resources/todo/declaration.ts'

/** The kind of records in a file. */
export type Kind = 'members' | 'todos'

export type Fault = keyof Words['import']['faults']

/** A record as the file has it. */
export interface Row {
  /** The line where it begins, from 1, or its position in an array. */
  readonly line: number
  readonly cells: CsvFields
  /** Why it cannot be read. */
  readonly fault?: Fault | undefined
}

export interface FileRecord extends Row {
  /** The record in the form of the API. */
  readonly body: Body
  /** What the service would refuse. */
  readonly details: readonly Detail[]
  /** Whether its password was generated here. */
  readonly isPasswordMade: boolean
}

/** A record, or a part of it. */
export interface Body {
  readonly [field: string]: string | boolean | Body | undefined
}

export type Detail = Pick<ErrorDetail, 'code' | 'message' | 'target'>

export interface Batch {
  readonly kind: Kind
  /** What a place in the file is called: line or record. */
  readonly unit: 'line' | 'record'
  readonly headings: CsvFields
  readonly records: readonly FileRecord[]
}

/** Whether it is not even sent. */
export const isFaulty = ({ fault, details }: FileRecord) => fault !== undefined || details.length > 0

/** The columns that a person fills in. */
export const filled: Readonly<Record<Kind, readonly string[]>> = {
  members: [...profileFields, ...credentialFields],
  todos: ['todoTitle', 'finished'],
}

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
    foreign: foreignMember,
  },
  todos: {
    known: [...filled.todos, 'todoId', 'createdAt'],
    required: [['todoTitle']],
    foreign: todoDeclaration.headings,
  },
}

/** Whether no file does without this column, or one that stands in for it. */
export const isRequired = (kind: Kind, column: string) =>
  columns[kind].required.some((equivalents) => equivalents.includes(column))

/** The header line, and the kind of records that it fits best; undefined if it names no column of either. */
export const headerOf = (headings: CsvFields, choicesFor: (kind: Kind) => Choices) =>
  (['members', 'todos'] as const)
    .flatMap((kind) => {
      const header = readHeader(headings, columns[kind], choicesFor(kind))
      return typeof header === 'string' ? [] : [{ kind, ...header }]
    })
    .toSorted((one, other) => one.faults.length - other.faults.length)[0]
