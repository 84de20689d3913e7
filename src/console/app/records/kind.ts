import type { ComponentChildren } from 'preact'
import type { BatchOperation, Done, PageOf } from '#client/index.ts'
import type { ReadOptions } from '#console/app/api/call.ts'
import { type Failure, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import type { LiveOptions } from '#console/app/state/live.ts'
import type { Question } from '#console/app/ui/dialog.tsx'
import type { IconName } from '#console/app/ui/icon.tsx'
import type { FieldKind } from '#console/description.ts'
import { valueAt } from '#core/csv.ts'
import type { DisplayField } from '#core/display.ts'
import type { ListQuery } from './query.ts'
import type { RecordWords } from './words.ts'

/** A kind of record, as the common pages need it. Texts are made by functions, because the language can change. */
export interface Kind<Item extends object = object> {
  /** The name of the kind in the feed, such as `member`. */
  readonly name: string
  /** The path segment of the kind in the console and in the API, such as `members`. */
  readonly plural: string
  readonly icon: IconName
  readonly searchParameter: string
  readonly maxSearchLength: number
  readonly defaultSort: string
  words(): KindWords
  idOf(item: Item): string
  titleOf(item: Item): string
  form(): readonly Section[]
  record(): readonly Section[]
  /** The first column shows the title of the record. */
  columns(): readonly Column[]
  filters(): readonly Field[]
  /** True if the user has this right for this record or, without a record, for any record. */
  may(right: 'create' | 'update' | 'delete' | 'filter', item?: Item): boolean
  /** Further actions for selected records. Each asks a question first. */
  bulkActions?(items: readonly Item[]): readonly BulkAction[]
  /** Fields that have their own requests to read and change them. They are columns, and can be changed for many records at once. */
  fieldsWithOwnPath?(): readonly FieldWithOwnPath[]
  find(query: ListQuery, options: ReadOptions, previous?: Done<PageOf<Item>>): Promise<Done<PageOf<Item>>>
  readAll(query: ListQuery, signal: AbortSignal): AsyncGenerator<readonly Item[]>
  read(id: string, options?: Partial<ReadOptions>, previous?: Done<Item>): Promise<Done<Item>>
  update(known: VersionedItem<Item>, values: object): Promise<Done<Item>>
  remove(known: Done<Item>): Promise<unknown>
  /** Restores a deleted record. Absent for records with a secret: they have no history and are not exported. */
  restore?(id: string): Promise<Done<Item>>
  /** Set if the feed lacks some changes of these records, so that they are also read at intervals. */
  readonly live?: Pick<LiveOptions, 'isAlsoPolled' | 'pollMs'>
}

interface BulkAction {
  readonly icon: IconName
  readonly text: string
  readonly question: Question
}

/** A field with a separate path in the API. */
export interface FieldWithOwnPath extends Field {
  /** The values by record id, without those that are `defaultValue`. */
  readonly read: (options: ReadOptions) => Promise<ReadonlyMap<string, string>>
  readonly defaultValue: string
  readonly change: (id: string, value: unknown) => BatchOperation
  /** The value in a row of an imported file. */
  readonly toFile: (value: unknown) => object
}

export interface PickerProps extends Pick<Field, 'label' | 'hint'> {
  /** The resource whose records are found. */
  readonly resource: string
  readonly note?: string | undefined
  readonly error?: string | undefined
  /** The id of the picked record; empty if none is picked. */
  readonly value: string
  readonly isLocked: boolean
  readonly onPick: (id: string) => void
}

/** A record as it was read. A change applies only to this version. */
export type VersionedItem<Item extends object = object> = Pick<Done<Item>, 'value' | 'etag'>

export interface KindWords extends RecordWords {
  readonly title: string
  /** Says which fields a restored record does not get back. */
  readonly notRestoredText?: string
  /** The warning before a record is deleted for good. */
  readonly removeText?: string
}

/** The text to show for a failed change in place of its reason, if the record was deleted or the service did not answer. */
export const failureText = (kind: Kind, failure: Failure, unansweredText: string) => {
  if (isGone(failure)) return kind.words().deleted
  return isOutcomeUnknown(failure) ? unansweredText : undefined
}

/** A field of a record, in the language of the page. */
export interface Field extends DisplayField {
  readonly kind: FieldKind | 'tel' | 'password'
  readonly isOptional?: boolean
  /** An empty text is then a value; otherwise it means null. */
  readonly canBeEmpty?: boolean
  /** True if the form has room for several lines. */
  readonly isLong?: boolean
  readonly order?: readonly string[] | undefined
  readonly groups?: readonly (readonly [heading: string, codes: readonly string[]])[] | undefined
  /** The text for null, which means all codes. Without it, at least one code must be chosen. */
  readonly all?: string | undefined
  /** The resource that a reference refers to. */
  readonly of?: string | undefined
  readonly hint?: string | undefined
  readonly autocomplete?: string | undefined
  /** Renders the value, if its text alone is not enough. */
  readonly show?: (item: object) => ComponentChildren
}

/** Some fields of a record, under a title. */
export interface Section {
  readonly title: string
  readonly fields: readonly Field[]
}

/** A field as a column. The list is sorted by `sortField` or, without it, by the field itself. */
export type Column = Field & {
  readonly sortField?: string
  /** The label of `sortField`, if the label of the field does not name it. */
  readonly sortLabel?: string
  readonly isUnsortable?: boolean
}

export const choicesOf = ({ texts = {}, order = Object.keys(texts) }: Field) =>
  order.map((value) => ({ value, label: texts[value] ?? value }))

export const fieldsOf = (sections: readonly Section[]): readonly Field[] =>
  sections.flatMap(({ fields }) => fields)

export const labelsOf = (fields: readonly Field[], names: readonly string[]) =>
  fields.filter(({ name }) => names.includes(name)).map(({ label }) => label)

/** The fields in which two versions of a record differ. */
export const differences = (fields: readonly Field[], one: object, other: object) =>
  fields.filter(({ name }) => JSON.stringify(valueAt(one, name)) !== JSON.stringify(valueAt(other, name)))
