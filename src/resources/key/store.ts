import { isId } from '#core/id.ts'
import { StoredText, type ValueOf, Version } from '#core/schema.ts'
import type { Announce } from '#ledger/change-log.ts'
import { principalTopic } from '#ledger/token-ends.ts'
import { type Database, nothing, type Row } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { empty, key, lookup, raw, sql } from '#sql/query.ts'
import { table } from '#sql/table.ts'
import { keyFields } from './schema.ts'
import { type KeyStore, keyName } from './service.ts'

const stored = { ...keyFields, keyHash: StoredText, version: Version }
export type StoredKey = { readonly [K in keyof typeof stored]: ValueOf<(typeof stored)[K]> }

export const keyTable = table({
  name: 'api_key',
  fields: stored,
  key: 'keyId',
  fixed: ['createdAt', 'keyHash'],
})

/** The hash is not among what may be shown. */
const shown = keyTable.part('', [...(Object.keys(keyFields) as (keyof typeof keyFields)[]), 'version'])

const sortable = keyTable.sortable(['name', 'createdAt'])
export const keySortable = Object.keys(sortable)

export const keyStore = (db: Database, announce: Announce): KeyStore => {
  return {
    ...listing(db, { make: shown.make, select: () => everything, sortable, position: 'keyId' }),

    find: (keyId) => (isId(keyId) ? db.find(keyById(keyId), shown.make) : nothing),

    // No `lookup`: what was found by a key is remembered until a write names that key, and writes name the id.
    findByHash: (hash) => db.find(sql`${all} WHERE key_hash = ${hash}`, keyTable.make),

    insert: async (made) => {
      const created = announce({ type: 'key.created', subject: made.keyId, changed: writable })
      await db.run(keyTable.insert(made), created(made.version))
    },

    used: async (known, at) => {
      const next = { ...known, lastUsedAt: at, version: known.version + 1 }
      await db.run(sql`${keyTable.update(next)} AND version = ${known.version}`)
    },

    remove: async (keyId, version) => {
      if (!isId(keyId)) return false
      const deleted = announce({ type: 'key.deleted', subject: keyId, changed: [] })
      const any = sql`DELETE FROM api_key WHERE key_id = ${key(keyId)}`
      const one = version === undefined ? any : sql`${any} AND version = ${version}`
      return db.write(async (tx) => {
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        if (last === undefined) return false
        await tx.enter(deleted(last + 1))
        await tx.publish(principalTopic, keyName(keyId))
        return true
      })
    },
  }
}

/** The fields that a new key is given. */
const writable = ['name', 'scopes', 'expiresAt']

const toVersion = (row: Row) => Number(row.version)

const keyById = lookup({ select: `SELECT ${shown.selected}`, from: 'api_key', key: 'key_id' })
const all = raw(`SELECT ${keyTable.selected} FROM api_key`)

const everything = {
  select: raw(`SELECT ${shown.selected}`),
  from: raw('api_key'),
  count: raw('SELECT count(*) AS total FROM api_key'),
  position: 'key_id',
  where: empty,
  isIndexed: true,
}
