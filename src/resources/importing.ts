import type { Fields } from '#core/schema.ts'
import type { Actor, Principal } from '#http/api/guard.ts'
import type { Versioned } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Table } from '#sql/table.ts'

/** Turns rows of a file into records, through the service of the resource. Nested fields have dotted names. */
export interface Importing {
  /** What a row may say. */
  readonly fields: Fields
  /** What a whole record satisfies. */
  readonly schema: JsonSchema
  /** The field of the id. */
  readonly id: string
  readonly references: Table<object>['references']
  /** The fields that tell who is who, and whether only one record may have a value of it. */
  readonly known: Readonly<Record<string, { readonly isUnique: boolean }>>
  /** The values of these fields, folded as they are compared. A new record may have some that it does not say. */
  identities(values: Values, isNew: boolean): Readonly<Record<string, string>>
  /** The records that have one of these values, which are folded. */
  find(field: string, values: readonly string[]): Promise<readonly Known[]>
  /** Refuses a new record for reasons beyond its schema. Asks no database. */
  check?(values: Values): void
  /** Makes what takes time and asks no database. */
  prepare?(values: Values): Promise<unknown>
  create(values: Values, by: Importer & { readonly prepared: unknown }): Promise<Versioned & object>
  update(id: string, values: Values, by: Importer & { readonly expected: number }): Promise<Versioned>
  remove(id: string, by: Importer & { readonly expected: number }): Promise<unknown>
}

/** In whose name rows become records. */
export interface Importer {
  readonly principal: Principal
  readonly actor: Actor
}

export type Values = Readonly<Record<string, unknown>>

/** A record that is there, and the value by which it was found. */
export interface Known {
  readonly by: string
  readonly id: string
  readonly version: number
  readonly values: Values
}
