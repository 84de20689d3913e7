import { type Administrator, basicAccess } from '#access/basic.ts'
import { logins } from '#access/logins.ts'
import { type Authenticate, memberName, openAccess } from '#access/principals.ts'
import { throttle } from '#access/throttle.ts'
import type { Clock } from '#core/clock.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Responder } from '#http/wire/answer.ts'
import { type AdministratorCreated, ensureAdministrator } from '#ledger/administrator.ts'
import { failureBook } from '#ledger/failures.ts'
import { heldFailureBook } from '#ledger/held-failures.ts'
import { secret } from '#ledger/secrets.ts'
import { credentialTopic, type OpenResource, type SignIn } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

export interface AccessParts {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly rooms: readonly OpenResource[]
  readonly warn: (error: unknown) => void
  readonly administratorCreated: AdministratorCreated | undefined
  /** The path prefix of each version of the API. */
  readonly prefixes: readonly string[]
}

export interface Access {
  readonly authenticate: Authenticate
  /** Answers requests for what clients must know before they enter; leaves everything else to `otherwise`. */
  withDiscovery(otherwise: Responder): Responder
  sweep(): Promise<number>
  /** Writes what is still in memory only. */
  close(): Promise<void>
}

const nothing = async () => 0
const withDiscovery = (otherwise: Responder) => otherwise

/** Who may enter, according to the settings. Code that only tokens need is loaded only for tokens. */
export const accessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  if (config.ACCESS === 'basic') return basicAccessOf(config, parts)
  if (config.ACCESS === 'oauth') {
    const { oauthAccessOf } = await import('./oauth-access.ts')
    return oauthAccessOf(config, parts)
  }
  return { authenticate: openAccess, withDiscovery, sweep: nothing, close: async () => undefined }
}

const basicAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { db, clock, passwords, rooms, warn } = parts
  const signIn = rooms.find((room) => room.signIn)?.signIn ?? nobody
  const known = logins(clock)
  await db.listen(credentialTopic, {
    heard: (memberId) => known.forget(memberName(memberId)),
    missed: known.forgetAll,
  })
  const administrator = (await givenAdministrator(config, passwords)) ?? (await ownAdministrator(parts))
  const throttleSecret = await secret(db, 'throttle')
  // Last, because it must be closed: nothing may fail from here on.
  const book = db.engine === 'sqlite' ? heldFailureBook(db, clock, warn) : failureBook(db, clock)
  return {
    authenticate: basicAccess({
      administrator,
      signIn,
      passwords,
      logins: known,
      throttle: throttle({ book, clock, secret: throttleSecret, lost: warn }),
    }),
    withDiscovery,
    sweep: book.sweep,
    close: book.close,
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

const ownAdministrator = ({ db, passwords, administratorCreated = unheard }: AccessParts) =>
  ensureAdministrator(db, passwords, administratorCreated)

const unheard = () => undefined
