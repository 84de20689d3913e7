import type { MemberAccess } from '#access/principals.ts'
import { fold } from '#core/fold.ts'
import type { PasswordHasher } from '#core/password.ts'
import { noPassword } from '#core/password-hash.ts'
import type { PasswordSignIn } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { raw, sql } from '#sql/query.ts'
import { credentialOf, credentialTable, lockCredential, type StoredCredential } from './rows.ts'

/** A refusal takes the same time for an unknown sign id, a wrong password, and a member that is suspended or has no password. */
export const memberSignIn = (db: Database, passwords: PasswordHasher): PasswordSignIn => {
  /** Replaces an imported hash by one with our own costs, unless the password was changed meanwhile. */
  const renewHash = async (known: StoredCredential, password: string) => {
    const renewed = await passwords.hash(password)
    await db.write(async (tx) => {
      const now = await lockCredential(tx, known.memberId)
      if (now?.passwordHash === known.passwordHash)
        await tx.run(credentialTable.update({ ...now, passwordHash: renewed }))
    })
  }

  return {
    async signIn(signId, password) {
      const known = await db.find(sql`${bySignId} ${fold(signId)}`, credentialTable.toRecord)
      if (!known) {
        await passwords.simulateVerify(password)
        return undefined
      }
      if (!(await passwords.verify(known.passwordHash, password))) return undefined
      // If this fails, the next sign-in tries again.
      if (!passwords.hasCurrentCosts(known.passwordHash))
        await renewHash(known, password).catch(() => undefined)
      return accessOf(known)
    },

    async find(memberId) {
      const known = await db.find(credentialOf(memberId), credentialTable.toRecord)
      return known && accessOf(known)
    },
  }
}

const accessOf = ({ memberId, role, passwordHash, ...times }: StoredCredential): MemberAccess | undefined => {
  if (role === 'suspended' || passwordHash === noPassword) return undefined
  const credentialStamp = String(times.lastModifiedAt)
  const stamp = `${credentialStamp}.${times.roleChangedAt ?? 0}`
  return { memberId, isAdministrator: role === 'administrator', stamp, credentialStamp }
}

const bySignId = raw(`SELECT ${credentialTable.selected} FROM credential WHERE sign_id_folded =`)
