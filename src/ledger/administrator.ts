import { randomBytes } from 'node:crypto'
import type { PasswordHasher } from '#core/password.ts'
import { checksum } from '#sql/checksum.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'

const name = 'administrator'

/** The sign id of a generated administrator. Databases store it, so it must never change. */
export const firstSignId = 'admin'

const passwordBytes = 18

interface StoredAdministrator {
  readonly signId: string
  readonly passwordHash: string
}

export interface CreatedAdministrator {
  readonly signId: string
  readonly password: string
}

/** Receives the new administrator, whose password is never shown again. If this fails, the administrator is not stored. */
export type OnAdministratorCreated = (created: CreatedAdministrator) => void | Promise<void>

/** The administrator of this database, created at its first start. */
export const ensureAdministrator = async (
  db: Database,
  passwords: PasswordHasher,
  onAdministratorCreated: OnAdministratorCreated,
): Promise<StoredAdministrator> => {
  const known = await find(db)
  if (known) return known
  const password = randomBytes(passwordBytes).toString('base64url')
  const created = { signId: firstSignId, passwordHash: await passwords.hash(password) }
  await db.write(async (tx) => {
    const inserted = await tx.run(insertion(created))
    if (inserted === 1) await onAdministratorCreated({ signId: firstSignId, password })
  })
  return (await find(db)) ?? created
}

const insertion = ({ signId, passwordHash }: StoredAdministrator) => sql`
  INSERT INTO administrator (name, sign_id, password_hash, checksum)
  VALUES (${key(name)}, ${signId}, ${passwordHash}, ${checksum([name, signId, passwordHash])})
  ON CONFLICT DO NOTHING`

/** The sign id of the administrator in this database, if there is one. */
export const storedSignId = async (db: Database): Promise<string | undefined> => (await find(db))?.signId

const find = (db: Database) =>
  db.find(sql`SELECT sign_id, password_hash FROM administrator WHERE name = ${key(name)}`, toAdministrator)

const toAdministrator = (row: Row): StoredAdministrator => ({
  signId: String(row.sign_id),
  passwordHash: String(row.password_hash),
})
