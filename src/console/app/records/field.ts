import type { ComponentChildren } from 'preact'
import type { FieldKind } from '#console/description.ts'
import { valueAt } from '#core/csv.ts'
import type { DisplayField } from '#core/display.ts'

/** A field of a record, in the language of the page. */
export interface Field extends DisplayField {
  readonly kind: FieldKind | 'tel' | 'password'
  readonly isOptional?: boolean
  /** Whether an empty text is a value. Otherwise an empty text means null. */
  readonly mayBeEmpty?: boolean
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

/** A field as a column. The list is sorted by `property`, or by the field itself. */
export type Column = Field & {
  readonly property?: string
  /** The label of the other property, if the label of the field does not name it. */
  readonly sortedBy?: string
  readonly isUnsorted?: boolean
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
