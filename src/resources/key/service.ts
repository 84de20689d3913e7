import { createHash, randomBytes } from 'node:crypto'
import { mayGrant, type Policy } from '#access/policy.ts'
import type { Clock, Instant } from '#core/clock.ts'
import type { NewId } from '#core/id.ts'
import { bodyInvalid, changedMeanwhile, notFound, Problem } from '#core/problem.ts'
import type { Principal } from '#http/api/guard.ts'
import { importedInstant } from '#resources/imported.ts'
import type { KeyStanding } from '#resources/resource.ts'
import type { Lists } from '#sql/listing.ts'
import type { Key, MadeKey, NewKey } from './schema.ts'
import type { StoredKey } from './store.ts'

export interface KeyStore extends Lists<Key> {
  find(keyId: string): Promise<Key | undefined>
  findByHash(hash: string): Promise<StoredKey | undefined>
  insert(key: StoredKey): Promise<void>
  /** Notes when the key was used, unless it was changed meanwhile. */
  used(key: StoredKey, at: Instant): Promise<void>
  /** Removes this version, or any if undefined. False when it is not there. */
  remove(keyId: string, version: number | undefined): Promise<boolean>
}

interface KeyGround {
  /** Who may do what: nobody grants what he may not do. */
  readonly policy: Policy
  readonly store: KeyStore
  readonly clock: Clock
  readonly newId: NewId
}

const secretBytes = 32
const hourMs = 60 * 60 * 1000

/** Tells keys apart from all other principals. */
export const keyName = (keyId: string) => `key:${keyId}`

export const keyService = ({ store, clock, newId, policy }: KeyGround) => {
  const find = async (keyId: string): Promise<Key> => {
    const key = await store.find(keyId)
    if (!key) throw notFound()
    return key
  }

  const valid = async (keyHash: string): Promise<StoredKey | undefined> => {
    const key = await store.findByHash(keyHash)
    return key && (key.expiresAt ?? Number.POSITIVE_INFINITY) > clock.now() ? key : undefined
  }

  const standingOf = ({ keyId, keyHash, scopes, expiresAt }: StoredKey): KeyStanding => ({
    name: keyName(keyId),
    scopes,
    expiresAt,
    async again() {
      const key = await valid(keyHash)
      return key && standingOf(key)
    },
  })

  /** The key whose principal has this name, if it has not expired. */
  const named = async (name: string): Promise<KeyStanding | undefined> => {
    const key = await store.find(name.slice(keyName('').length))
    if (!key || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now()) return undefined
    return { name, scopes: key.scopes, expiresAt: key.expiresAt, again: () => named(name) }
  }

  return {
    page: store.page,
    slice: store.slice,
    stream: store.stream,
    find,

    /** Only its hash is kept, so nobody can show the secret again. A key permits nothing that its maker may not do. */
    async create({ name, scopes, expiresAt: end }: NewKey, by: Principal): Promise<MadeKey> {
      const excess = scopes.filter((scope) => !mayGrant(by, scope, policy))
      if (excess.length > 0) throw mayNotGrant(excess)
      const now = clock.now()
      const expiresAt = importedInstant('expiresAt', end) ?? null
      if (expiresAt !== null && expiresAt <= now) throw bodyInvalid([{ code: 'Future', target: 'expiresAt' }])
      const secret = `rk_${randomBytes(secretBytes).toString('base64url')}`
      const times = { expiresAt, createdAt: now, lastUsedAt: null }
      const key = { keyId: newId(), name, scopes, ...times, createdBy: by.id ?? by.name, version: 1 }
      await store.insert({ ...key, keyHash: hashOf(secret), creatorId: by.id ?? null })
      return { ...key, orphaned: null, secret }
    },

    async remove(keyId: string, expected?: number): Promise<undefined> {
      if (await store.remove(keyId, expected)) return
      await find(keyId)
      throw changedMeanwhile(expected)
    },

    named,

    /** The key with this secret, if it has not expired. When it was used is known to the hour. */
    async standing(secret: string): Promise<KeyStanding | undefined> {
      const key = await valid(hashOf(secret))
      if (!key) return undefined
      const now = clock.now()
      const hour = now - (now % hourMs)
      // If this fails, the next use tries again.
      if ((key.lastUsedAt ?? 0) < hour) await store.used(key, hour).catch(() => undefined)
      return standingOf(key)
    },
  }
}

export type KeyService = ReturnType<typeof keyService>

const mayNotGrant = (scopes: readonly string[]) => {
  const args = { excess: scopes.join(', ') }
  return new Problem('forbidden', {
    details: [{ code: 'Pattern', wording: 'Pattern.granted', target: 'scopes', args }],
  })
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')
