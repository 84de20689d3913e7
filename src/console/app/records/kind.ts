import type { BatchOperation, Done, PageOf } from '#client/index.ts'
import type { ReadOptions } from '#console/app/api/call.ts'
import { type Failure, isGone, isOutcomeUnknown } from '#console/app/api/failure.ts'
import type { Live } from '#console/app/state/live.ts'
import type { Question } from '#console/app/ui/dialog.tsx'
import type { IconName } from '#console/app/ui/icon.tsx'
import type { Column, Field, Section } from './field.ts'
import type { ListQuery } from './query.ts'
import type { RecordWords } from './words.ts'

/** A kind of record, for the pages that every kind has. Texts are made by functions, because the language can change. */
export interface Kind<Item extends object = object> {
  /** The name of the kind in the feed, such as `member`. */
  readonly name: string
  /** The path segment of the kind in the console and in the API, such as `members`. */
  readonly plural: string
  readonly icon: IconName
  /** The parameter in the address that has the search text. */
  readonly searchedBy: string
  readonly longest: number
  /** The order of a list unless another is chosen. */
  readonly sort: string
  words(): KindWords
  idOf(item: Item): string
  titleOf(item: Item): string
  form(): readonly Section[]
  record(): readonly Section[]
  /** The first column shows the title of the record. */
  columns(): readonly Column[]
  filters(): readonly Field[]
  /** Whether the user has this right, for this record or at all. */
  may(right: 'create' | 'update' | 'delete' | 'filter', item?: Item): boolean
  /** Further actions for selected records. Each asks a question first. */
  bulkActions?(items: readonly Item[]): readonly BulkAction[]
  /** Fields that are read and changed by requests of their own. They are columns, and can be changed for many records at once. */
  separateFields?(): readonly SeparateField[]
  find(query: ListQuery, options: ReadOptions, before?: Done<PageOf<Item>>): Promise<Done<PageOf<Item>>>
  walk(query: ListQuery, signal: AbortSignal): AsyncGenerator<readonly Item[]>
  read(id: string, options?: Partial<ReadOptions>, before?: Done<Item>): Promise<Done<Item>>
  update(known: KnownItem<Item>, values: object): Promise<Done<Item>>
  remove(known: Done<Item>): Promise<unknown>
  /** Restores a deleted record. Absent for records with a secret: they have no history and are not exported. */
  restore?(id: string): Promise<Done<Item>>
  /** Set if the feed lacks some changes of these records, so that they are also read at intervals. */
  readonly live?: Pick<Live, 'isAlsoAsked' | 'everyMs'>
}

interface BulkAction {
  readonly icon: IconName
  readonly text: string
  readonly question: Question
}

/** A field with a separate path in the API. */
export interface SeparateField extends Field {
  /** The values by record id, without those that are `usual`. */
  readonly read: (options: ReadOptions) => Promise<ReadonlyMap<string, string>>
  readonly usual: string
  readonly change: (id: string, value: unknown) => BatchOperation
  /** The value as a file states it. */
  readonly inFile: (value: unknown) => object
}

export interface PickerParts extends Pick<Field, 'label' | 'hint'> {
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
export type KnownItem<Item extends object = object> = Pick<Done<Item>, 'value' | 'etag'>

export interface KindWords extends RecordWords {
  readonly title: string
  /** Says which fields a restored record does not get back. */
  readonly notRestored?: string
  /** The warning before a record is deleted that cannot be restored. */
  readonly removeText?: string
}

/** The text to show for a failed change instead of its reason: `unanswered` if the change may have taken effect. */
export const meaningOf = (kind: Kind, failure: Failure, unanswered: string) => {
  if (isGone(failure)) return kind.words().deleted
  return isOutcomeUnknown(failure) ? unanswered : undefined
}
