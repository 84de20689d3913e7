import { credentialFields, profile, profileFields } from '#console/app/members/fields.ts'
import { type Columns, readHeader } from '#core/columns.ts'
import type { CsvFields } from '#core/csv.ts'
import type { Kind } from './record.ts'

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
