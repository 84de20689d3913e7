import { encodings } from '#core/foreign-files.ts'
import { locales } from '#core/locale.ts'
import {
  ArrayOf,
  CodeList,
  Flag,
  Id,
  Nullable,
  ReadOnly,
  type Schema,
  StoredText,
  Text,
  UniqueWords,
  UtcTimestamp,
  type ValueOf,
  Whole,
} from '#core/schema.ts'
import { RequestOf, ResponseOf } from '#core/shapes.ts'
import { maxColumns } from './files/refused.ts'

export const states = [
  'reading',
  'ready',
  'applying',
  'stopped',
  'done',
  'undoing',
  'undone',
  'failed',
] as const
export type State = (typeof states)[number]

export const outcomes = ['new', 'changed', 'deleted', 'unchanged', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

const columnFields = {
  heading: ReadOnly(Nullable(StoredText)),
  samples: ReadOnly(ArrayOf({ ...StoredText, xml: { name: 'sample' } } as Schema<string>, 3)),
  field: Nullable(Text(1, 128)),
}

/** The effect of a row whose record exists. A record that does not exist is created by `update`, `skip` and `refuse`, but not by the others. */
export const existing = ['update', 'skip', 'refuse', 'change', 'delete'] as const

export const optionFields = {
  /** The line of the headings. 0: there are no headings. Null: the service finds the line. */
  header: Nullable(Whole(0)),
  match: Nullable(Text(1, 128)),
  existing: CodeList('CL_IMPORT_EXISTING', existing),
  dates: Nullable(CodeList('CL_IMPORT_DATES', ['dmy', 'mdy', 'ymd'])),
  encoding: Nullable(CodeList('CL_IMPORT_ENCODING', encodings)),
  sheet: Nullable(Text(1, 128)),
  passwords: CodeList('CL_IMPORT_PASSWORDS', ['refuse', 'none', 'generate']),
  locale: CodeList('CL_LOCALE', locales),
}
export type Options = { readonly [K in keyof typeof optionFields]: ValueOf<(typeof optionFields)[K]> }

const count = Whole(0)
const countFields = {
  rows: count,
  new: count,
  changed: count,
  deleted: count,
  unchanged: count,
  refused: count,
  applied: count,
}
export type Counts = { readonly [K in keyof typeof countFields]: number }

const importFields = {
  importId: ReadOnly(Id),
  resource: ReadOnly(Text(1, 64)),
  name: ReadOnly(Nullable(Text(1, 256))),
  state: ReadOnly(CodeList('CL_IMPORT_STATE', states)),
  reason: ReadOnly(Nullable(StoredText)),
  /** Questions that the user must answer. */
  open: ReadOnly(ArrayOf({ ...Text(1, 64), xml: { name: 'question' } } as Schema<string>, 16)),
  sheets: ReadOnly(ArrayOf({ ...StoredText, xml: { name: 'sheet' } } as Schema<string>, maxColumns)),
  /** The fields that may identify a record: the possible values of `options.match`. */
  identities: ReadOnly(ArrayOf({ ...Text(1, 128), xml: { name: 'identity' } } as Schema<string>, maxColumns)),
  counts: ReadOnly(ResponseOf('importCounts', countFields)),
  track: ReadOnly(Text(0, 64)),
  createdBy: ReadOnly(StoredText),
  createdAt: ReadOnly(UtcTimestamp),
}

export const Import = ResponseOf('import', {
  ...importFields,
  columns: ArrayOf(ResponseOf('importColumn', columnFields), maxColumns),
  options: ResponseOf('importOptions', optionFields),
})
export type Import = ValueOf<typeof Import> & {
  readonly version: number
  readonly unversionedText: string
  readonly versionedText: string
}

export const ImportChange = RequestOf('import', {
  ...importFields,
  columns: ArrayOf(RequestOf('importColumn', columnFields), maxColumns),
  options: RequestOf('importOptions', optionFields),
})
export type ImportChange = ValueOf<typeof ImportChange>

export const Imports = ResponseOf('imports', { content: ArrayOf(Import, 100) })

const text = Nullable(StoredText)
const maxCodes = 256

const rowFields = {
  line: ReadOnly(Whole(1)),
  outcome: ReadOnly(Nullable(CodeList('CL_IMPORT_OUTCOME', outcomes))),
  recordId: ReadOnly(Nullable(Id)),
  isApplied: ReadOnly(Flag),
  record: ReadOnly(
    ArrayOf(ResponseOf('importValue', { field: StoredText, value: text, before: text }), maxColumns),
  ),
  faults: ReadOnly(
    ArrayOf(
      ResponseOf('importFault', {
        field: text,
        code: StoredText,
        message: StoredText,
        value: text,
        allowed: Nullable(UniqueWords('code', StoredText, maxCodes)),
        byRule: Flag,
      }),
      maxColumns,
    ),
  ),
}
export const ImportRow = ResponseOf('importRow', rowFields)
export type ImportRow = ValueOf<typeof ImportRow> & { readonly version: number }

/** A generated password that is still valid. */
export const ImportPassword = ResponseOf('importPassword', {
  line: Whole(1),
  recordId: Id,
  signId: StoredText,
  firstName: StoredText,
  lastName: StoredText,
  password: StoredText,
})
export type ImportPassword = ValueOf<typeof ImportPassword> & { readonly version: number }

export const Correction = RequestOf('importRow', {
  ...rowFields,
  values: ArrayOf(
    RequestOf('importCorrection', { field: Text(1, 128), value: Nullable(Text(0, 4000)) }),
    maxColumns,
  ),
})
export type Correction = ValueOf<typeof Correction>

/** Replaces a value in all rows that have it. The body may repeat fields of the import, which are ignored. */
export const Replacement = RequestOf('importReplacement', {
  ...importFields,
  columns: ReadOnly(StoredText),
  options: ReadOnly(StoredText),
  field: Text(1, 128),
  from: Nullable(Text(0, 4000)),
  to: Nullable(Text(0, 4000)),
})
export type Replacement = Pick<ValueOf<typeof Replacement>, 'field' | 'from' | 'to'>
