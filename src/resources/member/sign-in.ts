import { fold } from '#core/fold.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { SignIn } from '#resources/resource.ts'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'

/** Checks a sign id and a password; an unknown sign id costs as much as a wrong password. */
export const memberSignIn =
  (db: Database, passwords: PasswordHasher): SignIn =>
  async (signId, password) => {
    const known = await db.find(
      sql`SELECT member_id, password_hash FROM credential WHERE sign_id_folded = ${fold(signId)}`,
      toKnown,
    )
    if (!known) {
      await passwords.burn(password)
      return undefined
    }
    return (await passwords.verify(known.passwordHash, password)) ? { memberId: known.memberId } : undefined
  }

const toKnown = (row: Row) => ({ memberId: String(row.member_id), passwordHash: String(row.password_hash) })
