import { type Administrator, basicAccess } from '#access/basic.ts'
import { logins } from '#access/logins.ts'
import { type Authenticate, memberName, openAccess } from '#access/principals.ts'
import { throttle } from '#access/throttle.ts'
import type { Clock } from '#core/clock.ts'
import type { PasswordHasher } from '#core/password.ts'
import { keptAdministrator } from '#ledger/administrator.ts'
import { failureBook } from '#ledger/failures.ts'
import { secret } from '#ledger/secrets.ts'
import type { SignIn } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from './config.ts'

export interface EntranceGround {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly signIn: SignIn | undefined
  readonly warn: (error: unknown) => void
}

export interface Entrance {
  readonly authenticate: Authenticate
  /** The administrator that was made just now: nobody will be told this password again. */
  readonly madeAdministrator?: { readonly signId: string; readonly password: string } | undefined
  sweep(): Promise<number>
}

const nothing = async () => 0

/** Who may enter, as the settings have it. */
export const openEntrance = async (config: Config, ground: EntranceGround): Promise<Entrance> => {
  if (config.ACCESS === 'basic') return basicEntrance(config, ground)
  return { authenticate: openAccess, sweep: nothing }
}

const basicEntrance = async (config: Config, ground: EntranceGround): Promise<Entrance> => {
  const { db, clock, passwords, signIn = nobody, warn } = ground
  const known = logins(clock)
  await db.listen('credential', {
    heard: (memberId) => known.forget(memberName(memberId)),
    missed: known.forgetAll,
  })
  const book = failureBook(db, clock)
  const administrator =
    (await givenAdministrator(config, passwords)) ?? (await keptAdministrator(db, passwords))
  return {
    authenticate: basicAccess({
      administrator,
      signIn,
      passwords,
      logins: known,
      throttle: throttle({ book, clock, secret: await secret(db, 'throttle'), lost: warn }),
    }),
    madeAdministrator: made(administrator),
    sweep: book.sweep,
  }
}

const nobody: SignIn = async () => undefined

const givenAdministrator = async (
  { ADMIN_SIGN_ID, ADMIN_PASSWORD }: Config,
  passwords: PasswordHasher,
): Promise<Administrator | undefined> => {
  if (ADMIN_SIGN_ID === undefined || ADMIN_PASSWORD === undefined) return undefined
  return { signId: ADMIN_SIGN_ID, passwordHash: await passwords.hash(ADMIN_PASSWORD) }
}

const made = ({ signId, password }: Administrator & { readonly password?: string }) =>
  password === undefined ? undefined : { signId, password }
