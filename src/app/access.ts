import { createHmac } from 'node:crypto'
import { type Administrator, basicAccess } from '#access/basic.ts'
import { basicRequired } from '#access/challenge.ts'
import { withInvitations } from '#access/invited.ts'
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
import { type TokenClaims, type Tokens, tokenLifetimeMs, tokens } from '#access/tokens.ts'
import type { Clock } from '#core/clock.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { Problem } from '#core/problem.ts'
import type { Tasks } from '#core/tasks.ts'
import type { Caller } from '#http/api/guard.ts'
import type { Principal } from '#http/api/principal.ts'
import type { Responder } from '#http/wire/answer.ts'
import type { Origin } from '#http/wire/origin.ts'
import { ensureAdministrator, type OnAdministratorCreated } from '#ledger/administrator.ts'
import { sharedSecret } from '#ledger/secrets.ts'
import type { Sweep } from '#ledger/sweep.ts'
import { principalTopic, tokenEnds } from '#ledger/token-ends.ts'
import type { RouteSources } from '#resources/all-routes.ts'
import {
  credentialTopic,
  type FindKey,
  type OpenedResource,
  type PasswordSignIn,
  type ValidInvitation,
  type ValidKey,
} from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import type { Config } from '#src/config.ts'

export interface AccessParts extends RouteSources {
  readonly db: Database
  readonly clock: Clock
  readonly passwords: PasswordHasher
  readonly warn: (error: unknown) => void
  readonly tasks: Pick<Tasks, 'ended'>
  readonly throttle: Throttle
  readonly onAdministratorCreated: OnAdministratorCreated | undefined
  /** The path prefix of each version of the API. */
  readonly apiPrefixes: readonly string[]
  readonly origin: Origin
}

export interface Access {
  readonly authenticate: Authenticate
  /** The refusal for a caller whose access has ended. */
  readonly refusal: (caller: Caller) => Problem
  /** Undefined if the access mode has no sign-in with passwords. */
  readonly tokens?: Tokens
  /** Answers requests by which clients find out how to authenticate. `otherwise` answers all other requests. */
  withDiscovery(otherwise: Responder): Responder
  /** Tasks that delete expired rows, by name. */
  readonly sweeps: Readonly<Record<string, Sweep>>
}

const withoutDiscovery = (otherwise: Responder) => otherwise

/** Authenticates callers as the settings demand. The code for OAuth is loaded only with `ACCESS=oauth`. */
export const accessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { authenticate, ...access } = await accessWithoutInvitations(config, parts)
  const findInvitation = parts.openedResources.find((resource) => resource.findInvitation)?.findInvitation
  const principalOfInvitation = (invited: ValidInvitation | undefined): Principal | undefined =>
    invited && invitedPrincipal(invited, async () => principalOfInvitation(await invited.reread()))
  const invitations = {
    find: async (secret: string) => principalOfInvitation(await findInvitation?.(secret)),
    throttle: parts.throttle,
    refusal: access.refusal,
  }
  return { ...access, authenticate: withInvitations(authenticate, invitations) }
}

const accessWithoutInvitations = async (config: Config, parts: AccessParts): Promise<Access> => {
  if (config.ACCESS === 'basic') return basicAccessOf(config, parts)
  if (config.ACCESS === 'oauth') {
    const { oauthAccessOf } = await import('./oauth-access.ts')
    return oauthAccessOf(config, parts)
  }
  return { authenticate: openAccess, refusal: basicRequired, withDiscovery: withoutDiscovery, sweeps: {} }
}

const basicAccessOf = async (config: Config, parts: AccessParts): Promise<Access> => {
  const { db, clock, passwords, openedResources, throttle } = parts
  const members = openedResources.find((resource) => resource.passwordSignIn)?.passwordSignIn ?? noMembers
  const loginCache = await openLogins(parts)
  const tokenSecret = await sharedSecret(db, 'token')
  const builtInAdministrator = await administratorOf(config, parts, tokenSecret)
  const revocations = tokenEnds(db, clock, tokenLifetimeMs)
  const tokenService = tokens({ secret: tokenSecret, clock, tokenEnds: revocations })
  const principalOf = async (claims: TokenClaims): Promise<Principal | undefined> => {
    const principal = (await tokenService.isValid(claims))
      ? await principalOfToken(claims, builtInAdministrator, members)
      : undefined
    return principal && { ...principal, until: claims.expiresAt, reread: () => principalOf(claims) }
  }
  const ownerOfToken = async (token: string) => {
    const claims = tokenService.read(token)
    const principal = claims && (await principalOf(claims))
    return principal && { principal, until: claims.expiresAt }
  }
  const ownerOfKey = keyOwners(openedResources)
  return {
    authenticate: basicAccess({
      administrator: builtInAdministrator,
      signIn: members.signIn,
      find: members.find,
      passwords,
      logins: loginCache,
      throttle,
      serviceSecret: serviceSecretAuth({
        logins: loginCache,
        throttle,
        ownerOf: (secret) => (secret.startsWith('rk_') ? ownerOfKey(secret) : ownerOfToken(secret)),
        refusal: basicRequired,
      }),
    }),
    refusal: basicRequired,
    tokens: tokenService,
    withDiscovery: withoutDiscovery,
    sweeps: { 'token ends': revocations.sweep },
  }
}

/** Opens the cache of verified credentials. When a principal changes, every instance immediately drops the credentials of that principal. */
export const openLogins = async ({ db, clock }: Pick<AccessParts, 'db' | 'clock'>) => {
  const loginCache = logins(clock)
  const onLoss = loginCache.forgetAll
  await db.listen(credentialTopic, {
    onPayload: (memberId) => loginCache.forget(memberName(memberId)),
    onLoss,
  })
  await db.listen(principalTopic, { onPayload: loginCache.forget, onLoss })
  return loginCache
}

export const keyOwners = (resources: readonly OpenedResource[]) => {
  const findKey: FindKey = resources.find((resource) => resource.findKey)?.findKey ?? (async () => undefined)
  return async (secret: string) => {
    const key = await findKey(secret)
    return key && { principal: principalOfKey(key), until: key.expiresAt ?? Number.POSITIVE_INFINITY }
  }
}

const principalOfKey = ({ name, scopes, expiresAt, reread }: ValidKey): Principal => ({
  ...keyPrincipal(name, scopes, async () => {
    const currentKey = await reread()
    return currentKey && principalOfKey(currentKey)
  }),
  ...(expiresAt !== null && { until: expiresAt }),
})

/** The principal of a token, if its password and role have not changed since the token was issued. */
const principalOfToken = async (
  { name, stamp }: TokenClaims,
  builtIn: Administrator,
  members: PasswordSignIn,
) => {
  if (name === administrator.name) return stamp === builtIn.stamp ? administrator : undefined
  const member = await members.find(name.slice(memberName('').length))
  return member?.stamp === stamp ? memberPrincipal(member.memberId, member.isAdministrator) : undefined
}

const noMembers: PasswordSignIn = { signIn: async () => undefined, find: async () => undefined }

/**
 * With `ADMIN_PASSWORD`, the stamp is computed from the password itself. The hash of this password has a new salt at every start, so
 * a stamp of the hash would end all tokens. Without the setting, the stamp is computed from the stored hash.
 */
const administratorOf = async (
  config: Config,
  parts: AccessParts,
  key: Uint8Array,
): Promise<Administrator> => {
  const configured = await configuredAdministrator(config, parts.passwords)
  const { signId, passwordHash } = configured ?? (await storedAdministrator(parts))
  const text = `${signId}\0${configured ? config.ADMIN_PASSWORD : passwordHash}`
  return { signId, passwordHash, stamp: createHmac('sha256', key).update(text).digest('base64url') }
}

const configuredAdministrator = async (
  { ADMIN_SIGN_ID, ADMIN_PASSWORD }: Config,
  passwords: PasswordHasher,
): Promise<Omit<Administrator, 'stamp'> | undefined> => {
  if (ADMIN_SIGN_ID === undefined || ADMIN_PASSWORD === undefined) return undefined
  return { signId: ADMIN_SIGN_ID, passwordHash: await passwords.hash(ADMIN_PASSWORD) }
}

const storedAdministrator = ({ db, passwords, onAdministratorCreated = () => undefined }: AccessParts) =>
  ensureAdministrator(db, passwords, onAdministratorCreated)
