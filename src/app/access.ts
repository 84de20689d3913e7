import { createHmac } from 'node:crypto'
import { type Administrator, basicAccess } from '#access/basic.ts'
import { basicRequired } from '#access/challenge.ts'
import { withInvited } from '#access/invited.ts'
import { logins } from '#access/logins.ts'
import {
  type Authenticate,
  administrator,
  invitedPrincipal,
  keyPrincipal,
  memberName,
  memberPrincipal,
  openAccess,
} from '#access/principals.ts'
import { serviceSecretAuth } from '#access/service-secret.ts'
import type { Throttle } from '#access/throttle.ts'
import { type Claims, type Tokens, tokenMs, tokens } from '#access/tokens.ts'
import type { Clock } from '#core/clock.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Problem } from '#core/problem.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Origin } from '#http/wire/origin.ts'
import { type AdministratorCreated, ensureAdministrator } from '#ledger/administrator.ts'
import { secret } from '#ledger/secrets.ts'
import type { Sweep } from '#ledger/sweep.ts'
import { principalTopic, tokenEnds } from '#ledger/token-ends.ts'
import {
  credentialTopic,
  type FindKey,
  type OpenResource,
  type People,
  type ValidInvitation,
  type ValidKey,
} from '#resources/resource.ts'
import type { Rooms } from '#resources/table.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

export interface AccessParts extends Rooms {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly warn: (error: unknown) => void
  readonly tasks: Pick<Tasks, 'ended'>
  readonly throttle: Throttle
  readonly administratorCreated: AdministratorCreated | undefined
  /** The path prefix of each version of the API. */
  readonly prefixes: readonly string[]
  readonly origin: Origin
}

export interface Access {
  readonly authenticate: Authenticate
  /** The refusal for a caller whose access has ended. */
  readonly refusal: (caller: Caller) => Problem
  /** Undefined if nobody signs in with a password. */
  readonly tokens?: Tokens
  /** Answers requests that clients make before they authenticate, and leaves the others to `otherwise`. */
  withDiscovery(otherwise: Responder): Responder
  /** Tasks that delete expired rows, by name. */
  readonly sweeps: Readonly<Record<string, Sweep>>
}

const withDiscovery = (otherwise: Responder) => otherwise

/** Who may enter, according to the settings. Code that only tokens need is loaded only for tokens. */
export const accessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { authenticate, ...access } = await ordinaryAccessOf(config, parts)
  const find = parts.rooms.find((room) => room.findInvited)?.findInvited
  const bearerOf = (invited: ValidInvitation | undefined): Principal | undefined =>
    invited && invitedPrincipal(invited, async () => bearerOf(await invited.reread()))
  const invited = {
    find: async (text: string) => bearerOf(await find?.(text)),
    ...{ throttle: parts.throttle, refusal: access.refusal },
  }
  return { ...access, authenticate: withInvited(authenticate, invited) }
}

const ordinaryAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  if (config.ACCESS === 'basic') return basicAccessOf(config, parts)
  if (config.ACCESS === 'oauth') {
    const { oauthAccessOf } = await import('./oauth-access.ts')
    return oauthAccessOf(config, parts)
  }
  return { authenticate: openAccess, refusal: basicRequired, withDiscovery, sweeps: {} }
}

const basicAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { db, clock, passwords, rooms, throttle } = parts
  const people = rooms.find((room) => room.people)?.people ?? nobody
  const known = await openLogins(parts)
  const tokenSecret = await secret(db, 'token')
  const first = await administratorOf(config, parts, tokenSecret)
  const ends = tokenEnds(db, clock, tokenMs)
  const issued = tokens({ secret: tokenSecret, clock, ends })
  const bearerOf = async (claims: Claims): Promise<Principal | undefined> => {
    const principal = (await issued.isValid(claims))
      ? await principalOfToken(claims, { first, people })
      : undefined
    return principal && { ...principal, until: claims.expiresAt, reread: () => bearerOf(claims) }
  }
  const ownerOfToken = async (token: string) => {
    const claims = issued.read(token)
    const principal = claims && (await bearerOf(claims))
    return principal && { principal, until: claims.expiresAt }
  }
  const ownerOfKey = keyOwners(rooms)
  return {
    authenticate: basicAccess({
      administrator: first,
      signIn: people.signIn,
      find: people.find,
      passwords,
      logins: known,
      throttle,
      serviceSecret: serviceSecretAuth({
        logins: known,
        throttle,
        ownerOf: (text) => (text.startsWith('rk_') ? ownerOfKey(text) : ownerOfToken(text)),
        refusal: basicRequired,
      }),
    }),
    refusal: basicRequired,
    tokens: issued,
    withDiscovery,
    sweeps: { 'token ends': ends.sweep },
  }
}

/** Known logins. Every instance forgets them at once when their principal changes. */
export const openLogins = async ({ db, clock }: Pick<AccessParts, 'db' | 'clock'>) => {
  const known = logins(clock)
  const missed = known.forgetAll
  await db.listen(credentialTopic, { heard: (memberId) => known.forget(memberName(memberId)), missed })
  await db.listen(principalTopic, { heard: known.forget, missed })
  return known
}

/** Finds the owner of a key. */
export const keyOwners = (rooms: readonly OpenResource[]) => {
  const find: FindKey = rooms.find((room) => room.findKey)?.findKey ?? (async () => undefined)
  return async (text: string) => {
    const key = await find(text)
    return key && { principal: bearerOfKey(key), until: key.expiresAt ?? Number.POSITIVE_INFINITY }
  }
}

const bearerOfKey = ({ name, scopes, expiresAt, reread }: ValidKey): Principal => ({
  ...keyPrincipal(name, scopes, async () => {
    const now = await reread()
    return now && bearerOfKey(now)
  }),
  ...(expiresAt !== null && { until: expiresAt }),
})

/** The principal of a token, if its password and role have not changed since the token was issued. */
const principalOfToken = async (
  { name, stamp }: Claims,
  { first, people }: { readonly first: Administrator; readonly people: People },
) => {
  if (name === administrator.name) return stamp === first.stamp ? administrator : undefined
  const member = await people.find(name.slice(memberName('').length))
  return member?.stamp === stamp ? memberPrincipal(member.memberId, member.isAdministrator) : undefined
}

const nobody: People = { signIn: async () => undefined, find: async () => undefined }

/** The stamp comes from the password setting or else from the stored hash: hashing the setting gives a new hash at every start. */
const administratorOf = async (
  config: Config,
  parts: AccessParts,
  key: Uint8Array,
): Promise<Administrator> => {
  const given = await givenAdministrator(config, parts.passwords)
  const { signId, passwordHash } = given ?? (await storedAdministrator(parts))
  const text = `${signId}\0${given ? config.ADMIN_PASSWORD : passwordHash}`
  return { signId, passwordHash, stamp: createHmac('sha256', key).update(text).digest('base64url') }
}

const givenAdministrator = async (
  { ADMIN_SIGN_ID, ADMIN_PASSWORD }: Config,
  passwords: PasswordHasher,
): Promise<Omit<Administrator, 'stamp'> | undefined> => {
  if (ADMIN_SIGN_ID === undefined || ADMIN_PASSWORD === undefined) return undefined
  return { signId: ADMIN_SIGN_ID, passwordHash: await passwords.hash(ADMIN_PASSWORD) }
}

const storedAdministrator = ({ db, passwords, administratorCreated = doNothing }: AccessParts) =>
  ensureAdministrator(db, passwords, administratorCreated)

const doNothing = () => undefined
