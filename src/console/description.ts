import type { Locale } from '#core/locale.ts'

/** A declared resource, or the further fields of a shipped one, for the pages that the console makes of it. */
export interface DescribedResource {
  readonly name: string
  readonly plural: string
  readonly isExtension: boolean
  /** It comes with the service, and the navigation has its own link to it. */
  readonly isShipped: boolean
  readonly fields: readonly DescribedField[]
  readonly actions: readonly string[]
  /** The operations that members may perform. */
  readonly access: readonly string[]
  readonly labels: Readonly<Record<Locale, DescribedLabels>>
}

export interface DescribedField {
  readonly name: string
  readonly kind: FieldKind
  readonly isNullable: boolean
  /** The limits of its length, or of a number. */
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly codes?: readonly string[] | undefined
  /** The resource that it refers to. */
  readonly of?: string | undefined
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
  /** By field and action, and by `kind.book` for a code of a field. */
  readonly fields: Readonly<Record<string, { readonly label: string; readonly about?: string | undefined }>>
}
