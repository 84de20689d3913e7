import type { ValueOf } from '#core/schema.ts'

/** A text for each field of this element. If one is missing, the compiler reports it. */
export type FieldTexts<Name extends string, S> = {
  readonly [Field in keyof ValueOf<S> & string as `${Name}.${Field}`]: string
}

/** The documentation of a resource, in addition to its routes. */
export interface ResourceDocument {
  /** The heading that its operations are grouped under. */
  readonly tag: string
  readonly description: string
  /** By element and field, such as `thing.name`. */
  readonly fields: Readonly<Record<string, string>>
  /** By method and path, such as `POST /things`. */
  readonly operations: Readonly<Record<string, OperationDocument>>
  /** True if the resource declares rules, which refuse changes with codes of their own. */
  readonly hasRules?: boolean
  /** A sentence about the aliasNotes that a path parameter accepts besides ids, by its name. */
  readonly aliasNotes?: Readonly<Record<string, string>>
}

export interface OperationDocument {
  /** The name of the operation in generated clients. */
  readonly id: string
  readonly description: string
  /** A body that may be sent. */
  readonly request?: object
  /** The body of the response to that request. */
  readonly answer?: object
}
