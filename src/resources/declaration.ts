import type { Foreign } from '#core/foreign.ts'
import type { Locale } from '#core/locale.ts'
import type { Fields, Schema, ValueOf } from '#core/schema.ts'
import type { OperationDocument } from '#http/openapi/room.ts'
import type { Row, Transaction } from '#sql/database.ts'
import type { Table } from '#sql/table.ts'
import { resourceOf } from './machine/resource-of.ts'
import { requireValid } from './machine/validity.ts'
import type { DeclaredResource, OpenedResource, Resource, ResourceContext } from './resource.ts'
import type { Action, Rules } from './rule.ts'

/** A resource as its users declare it. Everything else follows from this. */
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
  /** Labels and descriptions, by language. Without them they follow from the names. */
  readonly words?: { readonly [L in Locale]?: Words }
  /** A folder of SQL files that bring an older table up to the declaration. */
  readonly migrations?: string | URL
  /** The names of the fields in files of other programs. */
  readonly headings?: Foreign
}

/**
 * The parts that only shipped resources may have: compatibility with tables and callers from before declarations (decision 0054), and
 * secrets (decision 0057).
 */
export interface ShippedParts<R = StoredRecord>
  extends Pick<Resource, 'errorCodes' | 'errors' | 'warning' | 'relatedRecords'> {
  /** The fields that only the service writes; by default `createdAt` and `lastModifiedAt`. */
  readonly serviceWritten?: Fields
  /** The values of these fields in a new record, except the times. */
  readonly initialValues?: (caller: { readonly name: string; readonly id?: string }) => object
  /** Fields that are never shown, or are stored as another kind. The log then holds no values of this resource. */
  readonly storageFields?: Fields
  /** Fields whose columns were added by migrations, in this order. */
  readonly addedByMigrations?: readonly string[]
  /** Fields that are computed from other tables. */
  readonly joinedFields?: JoinedFields
  readonly secret?: SecretDeclaration
  /** Set if the fields in `stored` never leave the database. */
  readonly neverExportsHidden?: true
  /** Fields that requests may contain in another form, or in addition. */
  readonly requestFields?: Fields
  /** Set if its lists have no filters. Then its table has no search columns. */
  readonly isUnfiltered?: true
  /** The fields that lists can be sorted by. By default all shown fields with a single value. */
  readonly sortable?: readonly string[]
  /** The error codes of a refused creation. */
  readonly refuses?: readonly string[]
  /** Validates a record from a file, and returns its stored form. */
  readonly validateFromFile?: (record: R) => R
  /** Fields that are written without a change in the log. */
  readonly unloggedFields?: readonly string[]
  /** The notification to all instances after each change of a record. */
  readonly notification?: (id: string) => readonly [topic: string, message: string]
  /** The parts that need the running service. */
  readonly open?: (context: ResourceContext, table: Table<object>) => OpenedParts<R>
  /** The effect of a PUT without a body, which replaces the usual PUT. */
  readonly bodylessPut?: {
    readonly id: string
    readonly summary: string
    readonly about: string
    does(record: R): R
  }
  /** For each right, a further scope that grants it to tokens. */
  readonly scopes?: Readonly<Record<Right, string>>
  /** The names of filters that differ from the name of their field, by field. */
  readonly filterNames?: Readonly<Record<string, string>>
  /** The names of search columns that migrations created, by field. */
  readonly searchColumns?: Readonly<Record<string, string>>
  /** The migrations that change what is derived from texts for searching. */
  readonly rederivingMigrations?: readonly string[]
  /** Further texts for the OpenAPI document. A summary replaces the summary of the route. */
  readonly document?: OpenApiTexts
}

/** The parts of a resource that need the running service. */
export interface OpenedParts<R> extends Partial<OpenedResource> {
  /** Rules that need the running service. */
  readonly rules?: Rules<R>
  /** Returns further work for the transaction of a creation. */
  prepareCreation?(record: R): Promise<(tx: Transaction) => Promise<void>>
  /** Adds the computed fields to a record before it is shown. */
  addComputed?(record: R): Promise<object>
}

export interface OpenApiTexts {
  readonly description?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly operations?: Readonly<Record<string, Partial<OperationDocument> & { readonly summary?: string }>>
}

/** Fields from other tables that a record is shown with. A change of them changes the record's entity tag, but not its version. */
export interface JoinedFields {
  readonly fields: Fields
  /** SQL: the columns, and the join that provides them. */
  readonly selected: string
  readonly from: string
  make(row: Row): object & { readonly unversionedText?: string }
}

/** A secret of each record, which only the answer that makes it shows. */
export interface SecretDeclaration {
  readonly schema: Schema
  /** Its purpose, in one sentence. */
  readonly about: string
  readonly example: string
  /** The error codes of a refused new secret. */
  readonly refuses?: readonly string[]
  generate(): string
  /** The stored fields for a new secret and its predecessors. */
  toStored(made: NewSecret): object
}

export interface NewSecret {
  readonly secret: string
  readonly now: number
  /** The record, which has no secret yet if it is created. */
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

/** A resource, with its declaration in its type. */
export interface Declared<
  Name extends string = string,
  F extends Fields = Fields,
  Plural extends string = string,
  A extends string = string,
> extends DeclaredResource {
  readonly declaration: Declaration<Name, F, Plural, A>
}

/** Declares a resource: `resource({ name: 'loan', fields: { title: Text(1, 60) } })`. Throws if the declaration cannot work. */
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

/** A resource that comes with the service. */
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
  further: { readonly fields: F; readonly words?: Declaration['words'] },
): Extension<Name, F> => {
  requireValid({ name, ...further } as Declaration, 'extension')
  const { fields, words } = further
  return { extends: name, fields, ...(words && { words }) }
}

export type RecordOf<D> = D extends Declared<infer Name, infer F> ? StoredRecord<Name, F> : never
