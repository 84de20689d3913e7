import { randomBytes } from 'node:crypto'
import type { PasswordHasher } from '#core/password.ts'
import { StoredText } from '#core/schema.ts'
import type { Database } from '#sql/database.ts'
import { key, raw, sql } from '#sql/query.ts'
import { type StoredOf, table } from '#sql/table.ts'

const name = 'administrator'

const fields = { name: StoredText, signId: StoredText, passwordHash: StoredText }

export const administratorTable = table({ name: 'administrator', key: 'name', fields })

/** The sign id of a generated administrator. Databases store this text, so it must never change. */
export const generatedSignId = 'admin'

const passwordBytes = 18

export interface CreatedAdministrator {
  readonly signId: string
  readonly password: string
}

/** Called once with the new administrator and its password. If the call fails, the administrator is not stored. */
export type OnAdministratorCreated = (created: CreatedAdministrator) => void | Promise<void>

/** Finds the administrator of this database, or creates it at the first start. */
export const ensureAdministrator = async (
  db: Database,
  passwords: PasswordHasher,
  onAdministratorCreated: OnAdministratorCreated,
): Promise<StoredOf<typeof fields>> => {
  const known = await find(db)
  if (known) return known
  const password = randomBytes(passwordBytes).toString('base64url')
  const created = { name, signId: generatedSignId, passwordHash: await passwords.hash(password) }
  await db.write(async (tx) => {
    const inserted = await tx.run(sql`${administratorTable.insert(created)} ON CONFLICT DO NOTHING`)
    if (inserted === 1) await onAdministratorCreated({ signId: generatedSignId, password })
  })
  return (await find(db)) ?? created
}

export const findAdministratorSignId = async (db: Database): Promise<string | undefined> =>
  (await find(db))?.signId

const find = (db: Database) =>
  db.find(
    sql`SELECT ${raw(administratorTable.selected)} FROM administrator WHERE name = ${key(name)}`,
    administratorTable.toRecord,
  )
