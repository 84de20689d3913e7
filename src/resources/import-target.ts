import type { Fields } from '#core/schema.ts'
import type { RouteCall, Versioned } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { Query } from '#sql/query.ts'
import type { Table } from '#sql/table.ts'

/** A resource as an import uses it, to make records of rows. Nested fields have dotted names. */
export interface ImportTarget {
  readonly fields: Fields
  readonly schema: JsonSchema
  /** The name of the id field. */
  readonly id: string
  readonly references: Table<object>['references']
  /** Finds the rows whose generated passwords are still valid. Absent if the records have no passwords. */
  readonly passwordRows?: PasswordRows
  /** The fields that identify a record, and whether each is unique. */
  readonly matchFields: Readonly<Record<string, { readonly isUnique: boolean }>>
  /** The values of the fields in `matchFields`, folded for comparison. With `isNew`, also values derived from other fields. */
  matchValues(values: Values, isNew: boolean): Readonly<Record<string, string>>
  /** Finds the records whose field has one of these folded values. */
  find(field: string, values: readonly string[]): Promise<readonly ExistingRecord[]>
  /** Refuses a new record for reasons beyond its schema. Does not read the database. */
  check?(values: Values): void
  /** Computes slow values, such as a password hash, before the transaction. */
  prepare?(values: Values): Promise<unknown>
  /** If true, creations can run concurrently in one transaction, because none reads what another one writes. */
  readonly hasIndependentCreations: boolean
  create(values: Values, call: Importer & { readonly prepared: unknown }): Promise<Versioned & object>
  update(id: string, values: Values, call: ChangeCall): Promise<Versioned>
  remove(id: string, call: ChangeCall): Promise<unknown>
  /** Creates a deleted record again. */
  restore(id: string, call: Importer): Promise<unknown>
}

/** SQL that joins rows of an import to the records that they created, and finds out which still have their first password. */
export interface PasswordRows {
  readonly join: Query
  /** The `sign_id`, `first_name` and `last_name` of the record. */
  readonly columns: Query
  readonly hasFirstPassword: Query
}

/** The caller on whose behalf an import creates and changes records. */
export type Importer = Pick<RouteCall, 'principal' | 'actor'>

type ChangeCall = Importer & { readonly expectedVersion: number }

export type Values = Readonly<Record<string, unknown>>

/** An existing record. `foundBy` is the value by which it was found. */
export interface ExistingRecord {
  readonly foundBy: string
  readonly id: string
  readonly version: number
  readonly values: Values
}
