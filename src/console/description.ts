import type { Locale } from '#core/locale.ts'

/** The data with which the console shows a declared resource, or the fields that an extension added to members. */
export interface DescribedResource {
  readonly name: string
  readonly plural: string
  readonly isExtension: boolean
  /** True if the resource comes with the service: the navigation always has a link to it. */
  readonly isShipped: boolean
  readonly fields: readonly DescribedField[]
  /** The names of the fields that name a record. */
  readonly titles: readonly string[]
  readonly actions: readonly string[]
  /** The operations that members may perform. */
  readonly access: readonly string[]
  readonly labels: Readonly<Record<Locale, DescribedLabels>>
}

export interface DescribedField {
  readonly name: string
  readonly kind: FieldKind
  readonly isNullable: boolean
  /** The minimum length of a text, or the minimum of a number. */
  readonly min?: number | undefined
  /** The maximum length of a text. */
  readonly max?: number | undefined
  readonly codes?: readonly string[] | undefined
  /** The resource that a reference refers to. */
  readonly of?: string | undefined
  /** The value of a new record whose creator leaves the field out. */
  readonly starting?: unknown
}

export type FieldKind =
  | 'text'
  | 'email'
  | 'whole'
  | 'flag'
  | 'day'
  | 'time'
  | 'code'
  | 'codes'
  | 'reference'
  | 'id'

interface DescribedLabels {
  readonly one: string
  readonly many: string
  readonly about?: string | undefined
  /** The labels by the name of a field or action. The label of the code `book` of the field `kind` is at `kind.book`. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly about?: string | undefined }>>
}
