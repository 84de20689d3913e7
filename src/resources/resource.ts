import type { Policy } from '#access/policy.ts'
import type { Standing } from '#access/principals.ts'
import type { Throttle } from '#access/throttle.ts'
import type { Clock } from '#core/clock.ts'
import type { Foreign } from '#core/foreign.ts'
import type { NewId } from '#core/id.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Detail, Message } from '#core/problem.ts'
import type { Code, ErrorTable } from '#core/words.ts'
import type { Cursors } from '#http/api/cursor.ts'
import type { Changes, Change as LoggedChange } from '#http/api/feed.ts'
import type { Actor } from '#http/api/guard.ts'
import type { Routes } from '#http/api/routes.ts'
import type { JsonSchema } from '#http/message/schema.ts'
import type { RoomDocument } from '#http/openapi/room.ts'
import type { Announce } from '#ledger/change-log.ts'
import type { Database, Transaction } from '#sql/database.ts'
import type { DeclaredTable } from '#sql/declared.ts'
import type { Finish } from '#sql/migrate.ts'
import type { Finding, Records } from '#sql/records.ts'
import type { Table } from '#sql/table.ts'
import type { Declaration } from './declaration.ts'
import type { Importing } from './importing.ts'
import type { RecordStore } from './machine/store.ts'

/** Published with a member id when that member's credential is changed or removed. */
export const credentialTopic = 'credential'

/** Whether this sign id, in any spelling, belongs to somebody whom no room keeps. */
export type IsReserved = (signId: string) => boolean

/** What a room stands on. */
export interface RoomContext {
  readonly db: Database
  readonly clock: Clock
  readonly newId: NewId
  readonly timeZone: string
  readonly passwords: PasswordHasher
  /** Whether the service is set up to refuse this password. */
  readonly isRefused: (password: string) => boolean
  readonly isReserved: IsReserved
  /** Runs a check of somebody's password: few at a time, and failures are counted. */
  readonly prove: Throttle['prove']
  readonly announce: Announce
  /** A keyed hash of a secret. A restore makes another key, so that the hashes in an older copy fit nothing. */
  readonly digest: (secret: string) => string
  /** What all rooms announced. */
  readonly changes: Changes
  readonly cursors: Cursors
  readonly delivery: DeliverySettings
  readonly references: References
  /** Who may do what, with the records of all resources. */
  readonly policy: Policy
}

/** The tables of all resources that are declared, and what refers to what. */
export interface References {
  /** The table of a resource, if that follows from a declaration. */
  tableOf(resource: string): Table<object> | undefined
  /** Deletes what goes with a record that is to be deleted, and refuses if something else refers to it. */
  release(
    tx: Transaction,
    record: { readonly resource: string; readonly id: string },
    actor: Actor,
  ): Promise<void>
}

/** What leaves the service, and how. */
export interface DeliverySettings extends DeliveryLimits {
  /** The hosts that may be called although they are private. */
  readonly hosts: readonly string[]
  readonly userAgent: string
  /** The types of all changes that there may be. */
  readonly types: readonly string[]
  /** A change as the feed shows it, and the record as it became if `hasValue`. */
  written(change: LoggedChange, hasValue: boolean): Promise<string>
  /** Learns of a delivery that failed. */
  failed(delivery: object): void
  /** Learns of anything else that fails meanwhile, and that everything works. */
  ended(error?: unknown): void
}

export interface DeliveryLimits {
  /** How long a receiver may take. */
  readonly answerMs: number
  /** How often the clock is looked at during a longer pause. */
  readonly beatMs: number
  /** How long an instance that delivers is waited for when it says nothing. */
  readonly leaseMs: number
  /** How long a stop waits for answers. */
  readonly graceMs: number
}

/** What a room is, before it is opened. */
export interface Resource {
  readonly name: string
  /** What its records are called, such as `members`. */
  readonly plural: string
  /** The folder of its migrations, if it has any. */
  readonly migrations?: URL | undefined
  /** Its table, if that follows from a declaration. */
  readonly declared?: DeclaredTable
  /** Whether files become records of it. */
  readonly takesFiles?: boolean
  /** The fields that it has beside its own, if it has any, with what people call them. */
  readonly further?: Declaration | undefined
  /** Who may do what, by the names of its operations. */
  readonly policy?: Policy
  /** What SQL cannot do in a migration, by its name. */
  readonly finishes?: Readonly<Record<string, Finish>>
  /** What its own codes are called in programs, such as `thingNotFound`. */
  readonly codes?: Readonly<Record<string, Code>>
  /** Its own codes, if it has any: what they say, in every language. */
  readonly errors?: ErrorTable
  /** What it tells people about itself. */
  readonly document: RoomDocument
  /** What a file may contain for a record. */
  readonly imported: JsonSchema
  /** How the files of other programs name its fields, and write them. */
  readonly foreign?: Foreign
  /** The types of the changes that it announces. */
  readonly changes?: readonly string[]
  /** Its records as stored, for copying, import and export. Those that are inserted are announced, if there is somebody to hear it. */
  records(db: Database, announce?: Announce): RoomRecords
  /** What a move copies besides, after the records. */
  alsoMoved?(db: Database): readonly Records[]
  /** A sentence about what an operator should look at, if there is anything. */
  warns?(db: Database): Promise<string | undefined>
  /** Reads everything that it keeps, and reports whatever is wrong. */
  verify(db: Database): AsyncIterable<Finding>
  open(context: RoomContext): OpenResource
}

/** A resource whose records are in one table, as its declaration says. */
export interface DeclaredResource extends Resource {
  readonly declared: DeclaredTable
  /** Its records alone, for programs that fill a database. */
  store(db: Database, announce: Announce): RecordStore<object>
}

/** What is needed to read a record from a file. */
export interface ReadContext {
  readonly now: number
  readonly newId: NewId
  readonly passwords: PasswordHasher
  readonly isReserved: IsReserved
}

export interface RoomRecords<T extends object = object> extends Records<T> {
  /** Makes a record from what a file contains. The body satisfies the schema; whatever else is wrong with it is thrown. */
  read(body: unknown, context: ReadContext): Promise<T>
  /** A record as a file holds it. */
  shown(record: T): object
  /** Its values that no other record may have. */
  unique(record: T): readonly Unique[]
  /** The records that it refers to. */
  references?(record: T): readonly Reference[]
}

/** A record that another one refers to. */
export interface Reference {
  isMissing(): Promise<boolean>
  /** What is told where it is missing. */
  readonly refusal: Detail
  /** The value of the record that it refers to, if that is of the same resource. */
  readonly own?: Pick<Unique, 'by' | 'value'>
}

/** A value that only one record may have, and the field that has it. */
export interface Unique {
  readonly by: string
  readonly value: string
  /** Whether a stored record has it. */
  isTaken(): Promise<boolean>
  /** What is told of another record with this value. */
  readonly refusal: Message
}

export interface OpenResource {
  /** Adds its routes to the table. */
  routes(http: Routes): void
  /** Those who may come in with a password, if the room keeps any. */
  readonly people?: People
  /** Finds a key by its secret, if the room keeps any. */
  readonly findKey?: FindKey
  /** A key that may come in, by the name of its principal. */
  readonly keyNamed?: FindKey
  /** Finds who was invited by a secret, if the room invites anybody. */
  readonly findInvited?: FindInvited
  /** How files become its records, if they may. */
  readonly importing?: Importing
  /** What it does beside the answers to requests, if anything. */
  readonly deliveries?: Deliveries
}

/** Tells others what was changed, from the start to the stop. */
export interface Deliveries {
  start(): void
  stop(): Promise<unknown>
  figures(): DeliveryFigures
}

export interface DeliveryFigures {
  readonly delivered: number
  readonly failed: number
  /** How far each is behind. Absent where another instance delivers, as is `halted`. */
  readonly behindMs?: readonly (readonly [webhookId: string, ms: number])[]
  /** How many get nothing any more, although they should. */
  readonly halted?: number
}

export interface People {
  /** The member whose sign id and password these are, if any. Takes just as long when there is none. */
  signIn(signId: string, password: string): Promise<Standing | undefined>
  /** Undefined of a member that is gone or suspended. */
  find(memberId: string): Promise<Standing | undefined>
}

export type FindInvited = (secret: string) => Promise<InvitedStanding | undefined>

/** A member who may choose a password. */
export interface InvitedStanding {
  readonly memberId: string
  /** The hash of the secret. */
  readonly hash: string
  readonly endsAt: number
  /** Reads it again, as the calling unit sees it. */
  again(): Promise<InvitedStanding | undefined>
}

export type FindKey = (secret: string) => Promise<KeyStanding | undefined>

/** A key that may come in. */
export interface KeyStanding {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  /** Reads it again, as the calling unit sees it. */
  again(): Promise<KeyStanding | undefined>
}
