import type { Clock } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Words } from '#core/words.ts'
import type { RoomDocument } from '#http/openapi/room.ts'
import type { Routes } from '#http/routes.ts'
import type { Database } from '#sql/database.ts'

/** What a room stands on. */
export interface Ground {
  readonly db: Database
  readonly clock: Clock
  readonly newId: NewId
  readonly timeZone: string
  readonly passwords: PasswordHasher
}

/** What a room is, before it is opened. */
export interface Resource {
  readonly name: string
  /** Where its migrations lie. */
  readonly migrations: URL
  readonly words: Words
  /** What it tells people of itself. */
  readonly document?: RoomDocument
  open(ground: Ground): OpenResource
}

export interface OpenResource {
  /** Adds its routes to the table. */
  routes(http: Routes): void
  /** Tells who signs in with a sign id, where the room has such. */
  readonly signIn?: SignIn
}

/** Who a sign id and a password belong to, if to anybody. It takes as long when there is nobody. */
export type SignIn = (signId: string, password: string) => Promise<{ readonly memberId: string } | undefined>
