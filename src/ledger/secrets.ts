import { randomBytes } from 'node:crypto'
import { StoredText } from '#core/schema.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { table } from '#sql/table.ts'

export const secretTable = table({
  name: 'secret',
  key: 'name',
  fields: { name: StoredText, value: StoredText },
})

const secretBytes = 32

/** The secret with this name, which all instances on the database share. It is created on first use. */
export const sharedSecret = async (db: Database, name: string): Promise<Buffer> => {
  const known = await find(db, name)
  if (known) return known
  const value = randomBytes(secretBytes).toString('base64url')
  await db.run(sql`${secretTable.insert({ name, value })} ON CONFLICT DO NOTHING`)
  return (await find(db, name)) ?? Buffer.from(value, 'base64url')
}

/** The secret with this name, for a process that must not write. Returns a temporary secret if none is stored. */
export const storedOrTemporarySecret = async (db: Database, name: string): Promise<Buffer> =>
  (await find(db, name)) ?? randomBytes(secretBytes)

const find = (db: Database, name: string): Promise<Buffer | undefined> =>
  db.find(sql`SELECT value FROM secret WHERE name = ${key(name)}`, toSecret)

const toSecret = (row: Row) => Buffer.from(String(row.value), 'base64url')
