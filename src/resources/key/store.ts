import { isId } from '#core/id.ts'
import { Id, List, Nullable, type Schema, StoredText, type ValueOf, Version } from '#core/schema.ts'
import type { Announce } from '#ledger/change-log.ts'
import { principalTopic } from '#ledger/token-ends.ts'
import { type Database, nothing, type Row } from '#sql/database.ts'
import { listing } from '#sql/listing.ts'
import { empty, key, raw, sql } from '#sql/query.ts'
import { table } from '#sql/table.ts'
import { type Key, type KeyScope, keyFields } from './schema.ts'
import { type KeyStore, keyName } from './service.ts'

const stored = {
  ...keyFields,
  /** Of resources that may not be declared any more. */
  scopes: List('scope', StoredText as Schema<KeyScope>),
  keyHash: StoredText,
  version: Version,
  /** The member who made it. */
  creatorId: Nullable(Id),
}
export type StoredKey = { readonly [K in keyof typeof stored]: ValueOf<(typeof stored)[K]> }

export const keyTable = table({
  name: 'api_key',
  fields: stored,
  key: 'keyId',
  fixed: ['createdAt', 'keyHash', 'createdBy', 'creatorId'],
  later: ['createdBy', 'creatorId'],
})

/** The hash is not among what may be shown. */
const shown = keyTable.part('', [...(Object.keys(keyFields) as (keyof typeof keyFields)[]), 'version'])

const sortable = keyTable.sortable(['name', 'createdAt'])
export const keySortable = Object.keys(sortable)

export const keyStore = (db: Database, announce: Announce): KeyStore => {
  return {
    ...listing(db, { make: toKey, select: () => everything, sortable, position: 'keyId' }),

    find: (keyId) => (isId(keyId) ? db.find(sql`${selected} WHERE key_id = ${keyId}`, toKey) : nothing),

    // No `lookup`: what was found by a key is remembered until a write names that key, and writes name the id.
    findByHash: (hash) => db.find(sql`${all} WHERE key_hash = ${hash}`, keyTable.make),

    insert: async (made, actor) => {
      const { keyId: subject, version } = made
      const change = { type: 'key.created', subject, version, changed: writable }
      await db.run(keyTable.insert(made), announce(change, actor))
    },

    used: async (known, at) => {
      const next = { ...known, lastUsedAt: at, version: known.version + 1 }
      await db.run(sql`${keyTable.update(next)} AND version = ${known.version}`)
    },

    remove: async (keyId, { expected, actor }) => {
      if (!isId(keyId)) return false
      const any = sql`DELETE FROM api_key WHERE key_id = ${key(keyId)}`
      const one = expected === undefined ? any : sql`${any} AND version = ${expected}`
      return db.write(async (tx) => {
        const [last] = await tx.read(sql`${one} RETURNING version`, toVersion)
        if (last === undefined) return false
        const change = { type: 'key.deleted', subject: keyId, version: last + 1, changed: [] }
        await tx.enter(announce(change, actor))
        await tx.publish(principalTopic, keyName(keyId))
        return true
      })
    },
  }
}

/** The fields that a new key is given. */
const writable = ['name', 'scopes', 'expiresAt']

const toVersion = (row: Row) => Number(row.version)

/** What became of the member who made it, if that member may make keys no more. */
const orphaned = `CASE
  WHEN api_key.creator_id IS NULL OR credential.role = 'administrator' THEN NULL
  WHEN credential.member_id IS NULL THEN 'removed'
  WHEN credential.role = 'suspended' THEN 'suspended'
  ELSE 'demoted' END AS orphaned`
const columns = raw(`SELECT ${shown.selected}, ${orphaned}`)
const withMaker = raw('api_key LEFT JOIN credential ON credential.member_id = api_key.creator_id')

// No `lookup` here either: what became of its maker is written without naming the key.
const selected = sql`${columns} FROM ${withMaker}`
const all = raw(`SELECT ${keyTable.selected} FROM api_key`)

const toKey = (row: Row): Key => {
  const orphaned = row.orphaned as Key['orphaned']
  return { ...shown.make(row), orphaned, ...(orphaned && { beside: orphaned }) }
}

/** A sentence about the keys whose makers may make none any more. */
export const warnOfOrphans = async (db: Database): Promise<string | undefined> => {
  const found = (await db.scan(selected, toKey)).filter((one) => one.orphaned !== null)
  const named = found.map(({ keyId, createdBy, orphaned }) => `${keyId} by ${createdBy} (${orphaned})`)
  return found.length === 0
    ? undefined
    : `made by members who are administrators no more: ${named.join(', ')}; remove those that nobody answers for`
}

const everything = {
  select: columns,
  from: withMaker,
  count: raw('SELECT count(*) AS total FROM api_key'),
  position: 'key_id',
  where: empty,
  isIndexed: true,
}
