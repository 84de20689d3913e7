import type { Policy } from '#access/policy.ts'
import type { MemberAccess } from '#access/principals.ts'
import type { Throttle } from '#access/throttle.ts'
import type { Clock } from '#core/clock.ts'
import type { Foreign } from '#core/foreign.ts'
import type { NewId } from '#core/id.ts'
import type { Locale } from '#core/locale.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { ResolvedMessage } from '#core/problem.ts'
import type { Code, ErrorTable } from '#core/words.ts'
import type { Actor, Changes, Change as LoggedChange } from '#http/api/change.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { Routes } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { ResourceDocument } from '#http/openapi/room.ts'
import type { MakeEntry } from '#ledger/change-log.ts'
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
  /** Whether the service is set up to refuse this password. */
  readonly isRefusedPassword: (password: string) => boolean
  /** Whether no stored member may have this sign id, in any spelling. */
  readonly isReservedSignId: (signId: string) => boolean
  /** Runs a password check. Limits parallel checks and counts failures. */
  readonly prove: Throttle['prove']
  readonly makeEntry: MakeEntry
  /** A keyed hash of a secret. A restore makes a new key, so hashes from an older copy match nothing. */
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
  /** Deletes the records that depend on a record before it is deleted. Refuses if another record refers to it. */
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
  /** The types of all possible changes. */
  readonly changeTypes: readonly string[]
  /** The rights to read the changes of these types with their values. */
  rightsToRead(types: readonly string[]): readonly string[]
  /** The body of a delivery: the change as the feed shows it, with the new state of the record if `hasValue`. */
  bodyOf(change: LoggedChange, hasValue: boolean): Promise<string>
  /** Reports a failed delivery. */
  reportFailedDelivery(delivery: object): void
  /** Reports another failure, or, if called without an error, that all deliveries work. */
  reportHealth(error?: unknown): void
}

export interface DeliveryLimits {
  /** The time a receiver may take to answer. */
  readonly answerMs: number
  /** The interval at which the clock is checked during a longer pause, because it may be set. */
  readonly clockCheckMs: number
  /** The time after which a silent delivering instance is replaced. */
  readonly leaseMs: number
  /** The time that a stop waits for answers. */
  readonly graceMs: number
}

/** A resource before it is opened. */
export interface Resource {
  readonly name: string
  /** The name of its records, such as `members`. */
  readonly plural: string
  readonly migrations?: URL | undefined
  /** Its table, if it is derived from a declaration. */
  readonly declared?: DeclaredTable
  readonly hasFileImport?: boolean
  /** The fields that extensions added, with their labels, if it has no declaration. */
  readonly extension?: Declaration | undefined
  /** The permissions, by the names of its operations. */
  readonly policy?: Policy
  /** The work of migrations that SQL cannot do, by the name of the migration. */
  readonly migrationCode?: Readonly<Record<string, MigrationCode>>
  /** The names of its own codes in programs, such as `thingNotFound`. */
  readonly errorCodes?: Readonly<Record<string, Code>>
  readonly errors?: ErrorTable
  /** The names of the resource and its fields for people, in every language. */
  readonly labels: Readonly<Record<Locale, Labels>>
  readonly document: ResourceDocument
  /** The schema of a record in an import file. */
  readonly fileSchema: JsonSchema
  /** How files of other programs name and write its fields. */
  readonly headings?: Foreign
  /** The types of its changes in the log. */
  readonly changeTypes?: readonly string[]
  /** Its records as stored, for copying, import and export. Inserted records are logged if `makeEntry` is given. */
  records(db: Database, makeEntry?: MakeEntry): ResourceRecords
  /** Further tables that a move copies after the records. */
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
  store(db: Database, makeEntry: MakeEntry): RecordStore<object>
}

export interface FromFileContext extends Pick<ResourceContext, 'newId' | 'passwords' | 'isReservedSignId'> {
  readonly now: number
}

export interface ResourceRecords<T extends object = object> extends Records<T> {
  /** Makes a record from a body that satisfies the schema. Throws a `Problem` for any other fault. */
  fromFile(body: unknown, context: FromFileContext): Promise<T>
  /** A record as an export file holds it. */
  toFile(record: T): object
  /** Why this record was not inserted. Undefined if its id is there already. */
  refusals(record: T): Promise<readonly ResolvedMessage[] | undefined>
}

export interface OpenedResource {
  routes(http: Routes): void
  /** The people who can sign in with a password, if this resource stores them. */
  readonly people?: People
  /** Finds a key by its secret, if this resource stores keys. */
  readonly findKey?: FindKey
  /** Finds a valid key by the name of its principal. */
  readonly findKeyByName?: FindKey
  /** Finds an invited member by the secret, if this resource has invitations. */
  readonly findInvited?: FindInvited
  readonly importTarget?: ImportTarget
  readonly deliveries?: Deliveries
}

/** Delivers changes to webhooks between `start` and `stop`. */
export interface Deliveries {
  start(): void
  stop(): Promise<unknown>
  metrics(): DeliveryMetrics
}

export interface DeliveryMetrics {
  readonly delivered: number
  readonly failed: number
  /** How far each webhook is behind. Both this and `halted` are absent if another instance delivers. */
  readonly behindMs?: readonly (readonly [webhookId: string, ms: number])[]
  /** The number of webhooks whose delivery was given up. */
  readonly haltedCount?: number
}

export interface People {
  /** The member with this sign id and password. Takes the same time if there is none. */
  signIn(signId: string, password: string): Promise<MemberAccess | undefined>
  /** Undefined for a deleted or suspended member. */
  find(memberId: string): Promise<MemberAccess | undefined>
}

export type FindInvited = (secret: string) => Promise<ValidInvitation | undefined>

/** A member who may choose a password. */
export interface ValidInvitation {
  readonly memberId: string
  readonly hash: string
  readonly endsAt: number
  /** Reads it again, as the calling unit sees it. */
  reread(): Promise<ValidInvitation | undefined>
}

export type FindKey = (secret: string) => Promise<ValidKey | undefined>

export interface ValidKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  /** Reads it again, as the calling unit sees it. */
  reread(): Promise<ValidKey | undefined>
}
