import type { ForeignColumns } from '#core/foreign-files.ts'
import type { Locale } from '#core/locale.ts'
import type { Fields, Schema, ValueOf } from '#core/schema.ts'
import type { OperationDocument } from '#http/openapi/resource-document.ts'
import type { Row, Transaction } from '#sql/database.ts'
import type { Table } from '#sql/table.ts'
import { resourceOf } from './machine/resource-of.ts'
import { requireValid } from './machine/validity.ts'
import type { DeclaredResource, OpenedResource, Resource, ResourceContext } from './resource.ts'
import type { Action, Rules } from './rule.ts'

/** A resource as its users declare it. Everything else about the resource is derived from this. */
export interface Declaration<
  Name extends string = string,
  F extends Fields = Fields,
  Plural extends string = string,
  A extends string = string,
> {
  /** A singular noun such as `loan`. Paths, elements and types are named after it. */
  readonly name: Name
  /** The plural, if it is not the name with an s. */
  readonly plural?: Plural
  readonly fields: F
  /** The rights of members. By default none. */
  readonly access?: { readonly member?: readonly Right[] }
  readonly rules?: Rules<StoredRecord<Name, F>>
  /** Named changes of a record: `returned` is `POST /loans/<id>/returned`. */
  readonly actions?: { readonly [K in A]: Action<StoredRecord<Name, F>> }
  /** Labels and descriptions, by language. By default they are made from the names of the resource and its fields. */
  readonly words?: { readonly [L in Locale]?: Words }
  /** A folder of SQL files that migrate the table of an older declaration. */
  readonly migrations?: string | URL
  /** The column names and codes that files of other programs use for the fields. */
  readonly headings?: ForeignColumns
}

/** The options of shipped resources: compatibility with older tables and callers (decision 0054), and secrets (decision 0057). */
export interface ShippedParts<R = StoredRecord>
  extends Pick<Resource, 'errorCodes' | 'errors' | 'warning' | 'relatedRecords'> {
  /** The fields that only the service writes; by default `createdAt` and `lastModifiedAt`. */
  readonly serviceWritten?: Fields
  /** The values of these fields in a new record, except the times. */
  readonly initialValues?: (caller: { readonly name: string; readonly id?: string }) => object
  /** Fields that are stored but never shown, or stored in another form. With such fields, the log has no values of the resource. */
  readonly storageFields?: Fields
  /** Fields whose columns were added by migrations, in this order. */
  readonly addedByMigrations?: readonly string[]
  /** Fields that are read from other tables. */
  readonly joinedFields?: JoinedFields
  readonly secret?: SecretDeclaration
  /** Set if exports omit the fields that are never shown. */
  readonly neverExportsHidden?: true
  /** Fields that requests may contain in addition to the shown ones, or in another form. */
  readonly requestFields?: Fields
  /** Set if lists of the resource have no filters. Its table then has no search columns. */
  readonly isUnfiltered?: true
  /** The fields that lists can be sorted by. By default all shown fields with a single value. */
  readonly sortable?: readonly string[]
  /** The error codes of a refused creation. */
  readonly refusals?: readonly string[]
  /** Validates a record from a file, and returns its stored form. */
  readonly validateFromFile?: (record: R) => R
  /** Fields that are written without a change in the log. */
  readonly unloggedFields?: readonly string[]
  /** The notification to all instances after each change of a record. */
  readonly notification?: (id: string) => readonly [topic: string, message: string]
  readonly open?: (context: ResourceContext, table: Table<object>) => OpenedParts<R>
  /** An operation that replaces the usual PUT by one without a body. */
  readonly bodylessPut?: {
    readonly id: string
    readonly summary: string
    readonly description: string
    does(record: R): R
  }
  /** For each right, a further scope that grants the right to tokens. */
  readonly scopes?: Readonly<Record<Right, string>>
  /** The names of filters that differ from the name of their field, by field. */
  readonly filterNames?: Readonly<Record<string, string>>
  /** The names of search columns that migrations created, by field. */
  readonly searchColumns?: Readonly<Record<string, string>>
  /** The migrations after which the search columns are computed again. */
  readonly rederivingMigrations?: readonly string[]
  /** Further texts for the OpenAPI document. A summary replaces the summary of the route. */
  readonly document?: OpenApiTexts
}

/** The parts of a resource that need the running service. */
export interface OpenedParts<R> extends Partial<OpenedResource> {
  readonly rules?: Rules<R>
  /** Returns a function that runs in the transaction of a creation, after the record was inserted. */
  prepareCreation?(record: R): Promise<(tx: Transaction) => Promise<void>>
  /** Adds the computed fields to a record before it is shown. */
  addComputed?(record: R): Promise<object>
}

export interface OpenApiTexts {
  readonly description?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly operations?: Readonly<Record<string, Partial<OperationDocument> & { readonly summary?: string }>>
}

/** Fields of a record that are read from other tables. If they change, the record gets a new entity tag, but no new version. */
export interface JoinedFields {
  readonly fields: Fields
  /** The columns, in SQL. */
  readonly selected: string
  /** The FROM clause with the joined tables. */
  readonly from: string
  toFields(row: Row): object & { readonly unversionedText?: string }
}

/** A secret of each record. Only the answer to the request that creates the secret shows it. */
export interface SecretDeclaration {
  readonly schema: Schema
  /** The purpose of the secret, in one sentence. */
  readonly description: string
  readonly example: string
  /** The error codes of a refused renewal. */
  readonly refusals?: readonly string[]
  generate(): string
  /** The stored fields that hold the new secret and its predecessors. */
  toStored(secret: NewSecret): object
}

export interface NewSecret {
  readonly secret: string
  readonly now: number
  /** The record to which the secret belongs. It has no secret yet while it is being created. */
  readonly record: object
  readonly cursors: ResourceContext['cursors']
}

export type Right = 'read' | 'create' | 'update' | 'delete'

/**
 * The words of one language: `[singular, plural, description?]` for the resource, a label or `[label, description]` for a field or
 * action, and a label for a code of a field: `'kind.book': 'Book'`.
 */
export type Words = Readonly<
  Record<string, string | readonly [string, string] | readonly [string, string, string]>
>

/** A stored record. Times are milliseconds since 1970. */
export type StoredRecord<Name extends string = string, F extends Fields = Fields> = {
  readonly [K in `${Name}Id`]: string
} & { readonly [K in keyof F]: ValueOf<F[K]> } & {
  readonly createdAt: number
  readonly lastModifiedAt: number
}

/** A declared resource. Its type contains its declaration. */
export interface Declared<
  Name extends string = string,
  F extends Fields = Fields,
  Plural extends string = string,
  A extends string = string,
> extends DeclaredResource {
  readonly declaration: Declaration<Name, F, Plural, A>
}

/** Declares a resource: `resource({ name: 'loan', fields: { title: Text(1, 60) } })`. Throws if the declaration has a fault. */
export const resource = <
  const Name extends string,
  const F extends Fields,
  const Plural extends string = `${Name}s`,
  const A extends string = never,
>(
  declaration: Declaration<Name, F, Plural, A>,
): Declared<Name, F, Plural, A> => {
  requireValid(declaration as unknown as Declaration)
  return { ...resourceOf(declaration as unknown as Declaration), declaration }
}

/** Declares a resource that comes with the service. */
export const shipped = <
  const Name extends string,
  const F extends Fields,
  const Plural extends string = `${Name}s`,
  const A extends string = never,
>(
  declaration: Declaration<Name, F, Plural, A>,
  shippedParts: ShippedParts<StoredRecord<Name, F>>,
): Declared<Name, F, Plural, A> => ({
  ...resourceOf(declaration as unknown as Declaration, shippedParts as unknown as ShippedParts<StoredRecord>),
  declaration,
})

export interface Extension<Name extends string = string, F extends Fields = Fields> {
  readonly extends: Name
  readonly fields: F
  readonly words?: NonNullable<Declaration['words']>
}

/** Adds fields to a shipped resource: `extend('member', { fields: { department: Nullable(Text(0, 64)) } })`. */
export const extend = <const Name extends string, const F extends Fields>(
  name: Name,
  addition: { readonly fields: F; readonly words?: Declaration['words'] },
): Extension<Name, F> => {
  requireValid({ name, ...addition } as Declaration, 'extension')
  const { fields, words } = addition
  return { extends: name, fields, ...(words && { words }) }
}

export type RecordOf<D> = D extends Declared<infer Name, infer F> ? StoredRecord<Name, F> : never
