import { randomBytes } from 'node:crypto'
import type { PasswordHasher } from '#core/password.ts'
import { checksum } from '#sql/checksum.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

const name = 'administrator'

/** The sign id of an administrator made at a first start. Databases hold it, so it must never change. */
export const firstSignId = 'admin'

const passwordBytes = 18

interface StoredAdministrator {
  readonly signId: string
  readonly passwordHash: string
  /** Only the instance that made it has it, and only at this start. */
  readonly password?: string
}

/** The administrator that was made at the first start on this database. */
export const ensureAdministrator = async (
  db: Database,
  passwords: PasswordHasher,
): Promise<StoredAdministrator> => {
  const known = await find(db)
  if (known) return known
  const password = randomBytes(passwordBytes).toString('base64url')
  const created = { signId: firstSignId, passwordHash: await passwords.hash(password) }
  const inserted = await db.run(sql`
      INSERT INTO administrator (name, sign_id, password_hash, checksum)
      VALUES (${key(name)}, ${created.signId}, ${created.passwordHash}, ${checksum([name, created.signId, created.passwordHash])})
      ON CONFLICT DO NOTHING`)
  return inserted === 1 ? { ...created, password } : ((await find(db)) ?? created)
}

/** The sign id of the administrator made on this database, if any. */
export const storedSignId = async (db: Database): Promise<string | undefined> => (await find(db))?.signId

const find = (db: Database) =>
  db.find(sql`SELECT sign_id, password_hash FROM administrator WHERE name = ${key(name)}`, toAdministrator)

const toAdministrator = (row: Row): StoredAdministrator => ({
  signId: String(row.sign_id),
  passwordHash: String(row.password_hash),
})
