import { createHash, randomBytes } from 'node:crypto'
import { errorTable } from '#core/error-table.ts'
import { refused } from '#core/problem.ts'
import type { NewSecret } from '#resources/declaration.ts'
import type { FindKey, FindKeyByName, ResourceContext, ValidKey } from '#resources/resource.ts'
import { containing, raw, sql } from '#sql/query.ts'
import type { Table } from '#sql/table.ts'

interface StoredKey {
  readonly keyId: string
  readonly scopes: readonly string[]
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly keyHash: string
  readonly formerHashes: string | null
  readonly version: number
}

/** A key, and the time at which the key or the secret that was used expires, whichever is earlier. */
interface UnexpiredKey {
  readonly key: StoredKey
  readonly expiresAt: number
}

const secretBytes = 32
const hourMs = 60 * 60 * 1000
const hintLength = 8

const formerSecretValidMs = 24 * hourMs
const maxFormerSecrets = 10

export const keyCodes = { tooManyKeySecrets: 'e.xx.ky.8001' } as const

export const keyErrors = errorTable({
  [keyCodes.tooManyKeySecrets]: {
    en: `The key has {max} former secrets that are still valid.
      A key can get at most {max} new secrets in 24 hours.
      Each former secret stays valid for 24 hours, so that programs can switch to the new secret.
      Use the newest secret, wait until a former secret has expired, or delete the key and create another.`,
    ja: `キーには、まだ有効な以前のシークレットが {max} 件あります。
      24時間以内に作成できるシークレットの数が上限に達しています。
      以前のシークレットは、プログラムが新しいものに切り替えられるよう、それぞれ24時間有効です。
      最新のシークレットを使用するか、以前のものが失効するまで待つか、キーを削除して別のキーを作成してください。`,
  },
})

/** The name of a key's principal. The prefix distinguishes keys from all other principals. */
export const keyName = (keyId: string) => `key:${keyId}`

export const newSecret = () => `rk_${randomBytes(secretBytes).toString('base64url')}`

/** The stored fields for a new secret: its hash, and the hashes of the former secrets with their expiry. */
export const toStoredSecret = ({ secret, now, record }: Pick<NewSecret, 'secret' | 'now' | 'record'>) => {
  const { keyHash, formerHashes = null }: Partial<StoredKey> = record
  const others = parseFormerHashes(formerHashes).filter(([, until]) => until > now)
  if (others.length >= maxFormerSecrets) throw refused(keyCodes.tooManyKeySecrets, { max: maxFormerSecrets })
  const former = keyHash === undefined ? [] : [[keyHash, now + formerSecretValidMs] as const, ...others]
  return {
    keyHash: hashOf(secret),
    hint: secret.slice(0, hintLength),
    formerHashes: former.map((one) => one.join('.')).join(' ') || null,
    formerUntil: former[0]?.[1] ?? null,
  }
}

/** Finds keys by their secrets, or by the names of their principals, unless they have expired. */
export const keyFinders = ({ db, clock }: Pick<ResourceContext, 'db' | 'clock'>, table: Table<object>) => {
  const make = table.toRecord as (row: object) => StoredKey
  const selectKeys = raw(`SELECT ${table.selected} FROM api_key WHERE`)

  /** Does not use `lookup`: its cache would store the key by its hash, but a write removes entries by id, so an outdated key would stay. */
  const findByHash = async (hash: string, now: number): Promise<readonly [StoredKey, number] | undefined> => {
    const current = await db.find(sql`${selectKeys} key_hash = ${hash}`, make)
    if (current) return [current, Number.POSITIVE_INFINITY]
    const former = sql`${selectKeys} former_until > ${now} AND ${containing('former_hashes', hash)}`
    const [key] = await db.read(former, make)
    const until = parseFormerHashes(key?.formerHashes ?? null).find(([one]) => one === hash)?.[1]
    return key && until !== undefined && until > now ? [key, until] : undefined
  }

  const findUnexpired = async (hash: string): Promise<UnexpiredKey | undefined> => {
    const now = clock.now()
    const [key, until] = (await findByHash(hash, now)) ?? []
    if (!key || until === undefined) return undefined
    const expiresAt = Math.min(key.expiresAt ?? Number.POSITIVE_INFINITY, until)
    return expiresAt > now ? { key, expiresAt } : undefined
  }

  const toValidKey = ({ key, expiresAt }: UnexpiredKey, hash: string): ValidKey => ({
    name: keyName(key.keyId),
    scopes: key.scopes,
    expiresAt: Number.isFinite(expiresAt) ? expiresAt : null,
    async reread() {
      const known = await findUnexpired(hash)
      return known && toValidKey(known, hash)
    },
  })

  const storeUse = (key: StoredKey, hour: number) => {
    const next = { ...key, lastUsedAt: hour, version: key.version + 1 }
    return db.run(sql`${table.update(next)} AND version = ${key.version}`)
  }

  /** Finds a key by its secret, and stores the hour of this use. */
  const findKey: FindKey = async (secret) => {
    const hash = hashOf(secret)
    const known = await findUnexpired(hash)
    if (!known) return undefined
    const now = clock.now()
    const hour = now - (now % hourMs)
    // If this fails, the next use tries again.
    if ((known.key.lastUsedAt ?? 0) < hour) await storeUse(known.key, hour).catch(() => undefined)
    return toValidKey(known, hash)
  }

  /** Finds a key by name, for background work, which does not have the key's secret. */
  const findKeyByName: FindKeyByName = async (name) => {
    const key = await db.find(sql`${selectKeys} key_id = ${name.slice(keyName('').length)}`, make)
    if (!key || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now()) return undefined
    return { name, scopes: key.scopes, expiresAt: key.expiresAt, reread: () => findKeyByName(name) }
  }

  return { findKey, findKeyByName }
}

const parseFormerHashes = (text: string | null) =>
  (text?.split(' ') ?? []).map((one) => {
    const [hash = '', until] = one.split('.')
    return [hash, Number(until)] as const
  })

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')
