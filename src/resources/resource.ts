import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Message } from '#core/problem.ts'
import type { Words } from '#core/words.ts'
import type { RoomDocument } from '#http/openapi/room.ts'
import type { Routes } from '#http/routes.ts'
import type { JsonSchema } from '#http/schema.ts'
import type { Database } from '#sql/database.ts'
import type { Finding, Kept, Records } from '#sql/records.ts'

/** Told, with the id of who signs in, when a login that was right may be so no more. */
export const credentialTopic = 'credential'

/** What a room stands on. */
export interface Ground {
  readonly db: Database
  readonly clock: Clock
  readonly newId: NewId
  readonly timeZone: string
  readonly passwords: PasswordHasher
  /** Whether whoever runs the service lets nobody choose this password. */
  readonly isRefused: (password: string) => boolean
}

/** What a room is, before it is opened. */
export interface Resource {
  readonly name: string
  /** Where its migrations lie. */
  readonly migrations: URL
  readonly words: Words
  /** What it tells people of itself. */
  readonly document: RoomDocument
  /** Its records as they are kept, for those who copy, bring and take them. */
  records(db: Database): RoomRecords
  /** Reads all that it keeps, and says what is not as it must be. */
  verify(db: Database): AsyncIterable<Finding>
  open(ground: Ground): OpenResource
}

/** What reading a record of a file takes. */
export interface ReadGround {
  readonly now: number
  readonly newId: NewId
  readonly passwords: PasswordHasher
}

export interface RoomRecords extends Records {
  /** What a file may say of a record. */
  readonly imported: JsonSchema
  /** The columns of a table of them: `credential.signId` is a field within one. */
  readonly fields: readonly string[]
  /** Makes a record of what a file says, once that is valid; throws what speaks against it. */
  read(body: unknown, ground: ReadGround): Promise<Kept>
  /** A record as a file has it. */
  shown(record: Kept): object
  /** What no other record may share with it. */
  unique(record: Kept): readonly string[]
  /** Whether one that is kept shares such. */
  isTaken(record: Kept): Promise<boolean>
  /** What stood against a record that was not written. */
  whyNot(record: Kept): Message & { readonly code: string }
}

export interface OpenResource {
  /** Adds its routes to the table. */
  routes(http: Routes): void
  /** Tells who signs in with a sign id, where the room has such. */
  readonly signIn?: SignIn
}

/** Who a sign id and a password belong to, if to anybody. It takes as long when there is nobody. */
export type SignIn = (signId: string, password: string) => Promise<{ readonly memberId: string } | undefined>
