import type { Fields } from '#core/schema.ts'
import type { Actor } from '#http/api/change.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Versioned } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Query } from '#sql/query.ts'
import type { Table } from '#sql/table.ts'

/** Turns rows of a file into records, through the service of the resource. Nested fields have dotted names. */
export interface Importing {
  /** The fields that a row may have. */
  readonly fields: Fields
  /** The schema of a whole record. */
  readonly schema: JsonSchema
  /** The name of the id field. */
  readonly id: string
  readonly references: Table<object>['references']
  /** Finds the rows whose generated passwords are still valid, if its records have passwords. */
  readonly passwordRows?: PasswordRows
  /** The fields that identify a record, and whether each is unique. */
  readonly known: Readonly<Record<string, { readonly isUnique: boolean }>>
  /** The folded values of these fields. A new record can have values that the row does not state. */
  identities(values: Values, isNew: boolean): Readonly<Record<string, string>>
  /** The records that have one of these folded values. */
  find(field: string, values: readonly string[]): Promise<readonly ExistingRecord[]>
  /** Refuses a new record for reasons beyond its schema. Does not read the database. */
  check?(values: Values): void
  /** Prepares slow values, such as a password hash, without the database. */
  prepare?(values: Values): Promise<unknown>
  create(values: Values, by: Importer & { readonly prepared: unknown }): Promise<Versioned & object>
  update(id: string, values: Values, by: Importer & { readonly expected: number }): Promise<Versioned>
  remove(id: string, by: Importer & { readonly expected: number }): Promise<unknown>
}

/** SQL that joins the row of an import to the record that it created, and tells whether its password is still valid. */
export interface PasswordRows {
  readonly join: Query
  /** Its `sign_id`, `first_name` and `last_name`. */
  readonly columns: Query
  /** Whether the record still has its first password. */
  readonly isUnchanged: Query
}

/** The caller on whose behalf rows become records. */
export interface Importer {
  readonly principal: Principal
  readonly actor: Actor
}

export type Values = Readonly<Record<string, unknown>>

/** An existing record, and the value by which it was found. */
export interface ExistingRecord {
  readonly by: string
  readonly id: string
  readonly version: number
  readonly values: Values
}
