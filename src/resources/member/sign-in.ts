import { fold } from '#core/fold.ts'
import type { PasswordHasher } from '#core/password.ts'
import type { SignIn } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'
import { credentialTable, type StoredCredential } from './rows.ts'

/** Checks a sign id and a password; an unknown sign id costs as much as a wrong password. */
export const memberSignIn = (db: Database, passwords: PasswordHasher): SignIn => {
  /** Replaces an imported hash with one of our costs. The WHERE leaves a credential alone if it was changed meanwhile. */
  const renewHash = async (known: StoredCredential, password: string) => {
    const renewed = await passwords.hash(password)
    await db.run(
      sql`${credentialTable.update({ ...known, passwordHash: renewed })} AND password_hash = ${known.passwordHash}`,
    )
  }

  return async (signId, password) => {
    const known = await db.find(sql`${bySignId} ${fold(signId)}`, credentialTable.make)
    if (!known) {
      await passwords.burn(password)
      return undefined
    }
    if (!(await passwords.verify(known.passwordHash, password))) return undefined
    // If this fails, the next login tries again.
    if (!passwords.hasOwnCosts(known.passwordHash)) await renewHash(known, password).catch(() => undefined)
    return { memberId: known.memberId }
  }
}

const bySignId = raw(`SELECT ${credentialTable.selected} FROM credential WHERE sign_id_folded =`)
