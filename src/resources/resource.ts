import type { Policy } from '#access/policy.ts'
import type { MemberAccess } from '#access/principals.ts'
import type { Throttle } from '#access/throttle.ts'
import type { Clock } from '#core/clock.ts'
import type { Code, ErrorTable } from '#core/error-table.ts'
import type { ForeignColumns } from '#core/foreign-files.ts'
import type { NewId } from '#core/id.ts'
import type { Locale } from '#core/locale.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { CodedMessage } from '#core/problem.ts'
import type { Actor, Changes, Change as LoggedChange } from '#http/api/change.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { Routes } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { ResourceDocument } from '#http/openapi/resource-document.ts'
import type { MakeLogEntry } from '#ledger/change-log.ts'
import type { Database, Transaction } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import type { MigrationCode } from '#sql/migrate.ts'
import type { Finding, Records } from '#sql/records.ts'
import type { Table } from '#sql/table.ts'
import type { Declaration } from './declaration.ts'
import type { ImportTarget } from './import-target.ts'
import type { Labels } from './machine/labels.ts'
import type { RecordStore } from './machine/store.ts'

/** Published with a member id when that member's credential is changed or removed. */
export const credentialTopic = 'credential'

export interface ResourceContext {
  readonly db: Database
  readonly clock: Clock
  readonly newId: NewId
  readonly timeZone: string
  readonly passwords: PasswordHasher
  /** True for a password on the list that REFUSED_PASSWORDS contains. */
  readonly isRefusedPassword: (password: string) => boolean
  /** True for a sign id that no stored member may have, in upper or lower case. */
  readonly isReservedSignId: (signId: string) => boolean
  /** Runs a password check. Limits parallel checks and counts failures. */
  readonly prove: Throttle['runForPrincipal']
  readonly makeLogEntry: MakeLogEntry
  /** A keyed hash of a secret. Restoring a backup creates a new hash key, so the hashes in the backup no longer match. */
  readonly digest: (secret: string) => string
  /** The URL of the console, for callers who reach the API at `apiUrl`. */
  readonly consoleUrl: (apiUrl: string) => string
  readonly changes: Changes
  readonly cursors: Cursors
  readonly delivery: DeliverySettings
  readonly references: References
  /** The permissions on the records of all resources. */
  readonly policy: Policy
}

/** The tables of all declared resources, and the references between them. */
export interface References {
  /** The table of a resource, if it follows from a declaration. */
  tableOf(resource: string): Table<object> | undefined
  /** Before a record is deleted: deletes the referrers declared as cascading, and refuses if another record still refers to it. */
  deleteReferrers(
    tx: Transaction,
    record: { readonly resource: string; readonly id: string },
    actor: Actor,
  ): Promise<void>
}

export interface DeliverySettings extends DeliveryLimits {
  /** Private hosts that may be called. */
  readonly privateHosts: readonly string[]
  readonly userAgent: string
  /** The types of the changes of all resources, such as `todo.created`. */
  readonly changeTypes: readonly string[]
  /** The rights to read the changes of these types with their values. */
  rightsToRead(types: readonly string[]): readonly string[]
  /** The body of a delivery: the change as the feed shows it, with the new state of the record if `hasValue`. */
  bodyOf(change: LoggedChange, hasValue: boolean): Promise<string>
  reportFailedDelivery(delivery: object): void
  /** Reports an error of the deliverer itself. Without an error: reports that it works. */
  reportHealth(error?: unknown): void
}

export interface DeliveryLimits {
  /** The time limit for the answer of a receiver. */
  readonly answerMs: number
  /** Longer pauses are slept in steps of this length, because the system clock may be adjusted meanwhile. */
  readonly clockCheckMs: number
  /** An instance that has not renewed its lease for this time is replaced by another instance. */
  readonly leaseMs: number
  /** The time for which `stop` waits for the answers of receivers. */
  readonly graceMs: number
}

/** A resource before it is opened. */
export interface Resource {
  readonly name: string
  /** The name of its records, such as `members`. */
  readonly plural: string
  readonly migrations?: URL | undefined
  /** Its table, if the table is derived from a declaration. */
  readonly declared?: DeclaredTable
  readonly hasFileImport?: boolean
  /** For a resource without a declaration: the fields that extensions added to it, with their labels. */
  readonly extension?: Declaration | undefined
  /** The permissions, by the names of its operations. */
  readonly policy?: Policy
  /** The code of migrations that cannot be written in SQL, by the name of the migration. */
  readonly migrationCode?: Readonly<Record<string, MigrationCode>>
  /** Its own error codes, by the name that programs use for each, such as `thingNotFound`. */
  readonly errorCodes?: Readonly<Record<string, Code>>
  readonly errors?: ErrorTable
  /** The names that people read for the resource and its fields, in every language. */
  readonly labels: Readonly<Record<Locale, Labels>>
  readonly document: ResourceDocument
  /** The schema of a record in an import file. */
  readonly fileSchema: JsonSchema
  /** The column names and codes that files of other programs use for its fields. */
  readonly headings?: ForeignColumns
  /** The types of its changes in the log. */
  readonly changeTypes?: readonly string[]
  /** Access to its stored records, for copying, import and export. If `makeLogEntry` is given, inserted records are logged. */
  records(db: Database, makeLogEntry?: MakeLogEntry): ResourceRecords
  /** Further tables to copy, after the records, when the data is moved to another database. */
  relatedRecords?(db: Database): readonly Records[]
  /** A warning for the operator, if there is a reason for one. */
  warning?(db: Database): Promise<string | undefined>
  /** Reads all its data and reports every fault. */
  verify(db: Database): AsyncIterable<Finding>
  open(context: ResourceContext): OpenedResource
}

/** A resource whose records are in one table, which follows from its declaration. */
export interface DeclaredResource extends Resource {
  readonly declared: DeclaredTable
  /** The store of its records, for programs that fill a database. */
  store(db: Database, makeLogEntry: MakeLogEntry): RecordStore<object>
}

export interface FromFileContext extends Pick<ResourceContext, 'newId' | 'passwords' | 'isReservedSignId'> {
  readonly now: number
}

export interface ResourceRecords<T extends object = object> extends Records<T> {
  /** Makes a record from an object that satisfies `fileSchema`. Throws a `Problem` for faults that a schema cannot express. */
  fromFile(body: unknown, context: FromFileContext): Promise<T>
  /** The object that an export file contains for a record. */
  toFile(record: T): object
  /** The reasons for which the record could not be inserted. Undefined if a record with its id exists. */
  refusals(record: T): Promise<readonly CodedMessage[] | undefined>
}

export interface OpenedResource {
  routes(http: Routes): void
  /** Sign-in by password, if this resource stores the people who can sign in. */
  readonly passwordSignIn?: PasswordSignIn
  /** Finds a key by its secret, if this resource stores keys. */
  readonly findKey?: FindKey
  /** Finds a valid key by the name of its principal. */
  readonly findKeyByName?: FindKeyByName
  /** Finds an invitation by its secret, if this resource has invitations. */
  readonly findInvitation?: FindInvitation
  readonly importTarget?: ImportTarget
  readonly deliveries?: WebhookDeliverer
}

/** Delivers changes to webhooks between `start` and `stop`. */
export interface WebhookDeliverer {
  start(): void
  stop(): Promise<unknown>
  metrics(): DeliveryMetrics
}

export interface DeliveryMetrics {
  readonly delivered: number
  readonly failed: number
  /** The delay of each webhook. Like `haltedCount`, absent if another instance delivers. */
  readonly behindMs?: readonly (readonly [webhookId: string, ms: number])[]
  /** The number of webhooks that were stopped because their deliveries kept failing. */
  readonly haltedCount?: number
}

export interface PasswordSignIn {
  /** The member with this sign id and password. Takes equally long if no member has this sign id. */
  signIn(signId: string, password: string): Promise<MemberAccess | undefined>
  /** Undefined for a deleted or suspended member. */
  find(memberId: string): Promise<MemberAccess | undefined>
}

export type FindInvitation = (secret: string) => Promise<ValidInvitation | undefined>

/** An invitation that is still valid. Its member may choose a password. */
export interface ValidInvitation {
  readonly memberId: string
  readonly hash: string
  readonly endsAt: number
  /** Reads the invitation again within the current transaction. */
  reread(): Promise<ValidInvitation | undefined>
}

export type FindKey = (secret: string) => Promise<ValidKey | undefined>
export type FindKeyByName = (name: string) => Promise<ValidKey | undefined>

export interface ValidKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  /** Reads the key again within the current transaction. */
  reread(): Promise<ValidKey | undefined>
}
