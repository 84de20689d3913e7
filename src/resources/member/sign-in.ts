import { fold } from '#core/fold.ts'
import { hasOwnCosts, type PasswordHasher } from '#core/password.ts'
import type { SignIn } from '#resources/resource.ts'
import type { Database, Row } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import { credentialChecksum } from './rows.ts'

/** Checks a sign id and a password; an unknown sign id costs as much as a wrong password. */
export const memberSignIn = (db: Database, passwords: PasswordHasher): SignIn => {
  /** Replaces an imported hash with one of our costs. The WHERE leaves a credential alone if it was changed meanwhile. */
  const renewHash = async (known: Known, password: string) => {
    const { memberId, passwordHash } = known
    const renewed = await passwords.hash(password)
    await db.run(sql`
      UPDATE credential SET password_hash = ${renewed}, checksum = ${credentialChecksum(known, renewed)}
      WHERE member_id = ${key(memberId)} AND password_hash = ${passwordHash}`)
  }

  return async (signId, password) => {
    const known = await db.find(
      sql`
        SELECT member_id, sign_id, password_hash, password_last_changed_at, last_modified_at
        FROM credential WHERE sign_id_folded = ${fold(signId)}`,
      toKnown,
    )
    if (!known) {
      await passwords.burn(password)
      return undefined
    }
    if (!(await passwords.verify(known.passwordHash, password))) return undefined
    // If this fails, the next login tries again.
    if (!hasOwnCosts(known.passwordHash)) await renewHash(known, password).catch(() => undefined)
    return { memberId: known.memberId }
  }
}

type Known = ReturnType<typeof toKnown>

const toKnown = (row: Row) => ({
  memberId: String(row.member_id),
  passwordHash: String(row.password_hash),
  credential: {
    signId: String(row.sign_id),
    passwordLastChangedAt: Number(row.password_last_changed_at),
    lastModifiedAt: Number(row.last_modified_at),
  },
})
