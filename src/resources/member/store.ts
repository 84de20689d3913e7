import { fold } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import { type Announce, erasure } from '#ledger/change-log.ts'
import { credentialTopic, type References } from '#resources/resource.ts'
import { type Database, erasureTopic, nothing, type Row, type Transaction } from '#sql/database.ts'
import { lookup, sql } from '#sql/query.ts'
import { memberLists } from './lists.ts'
import {
  credentialOf,
  credentialTable,
  deleteMember,
  insertMember,
  type MemberRows,
  replaceMember,
  specifiedRows,
  storedCredential,
} from './rows.ts'
import type { Member, MemberRole, Role } from './schema.ts'
import type { MemberStore } from './service.ts'

export const memberStore = (
  db: Database,
  announce: Announce,
  references: Pick<References, 'releasing'> = noReferences,
  rows = specifiedRows,
): MemberStore => ({
  ...memberLists(db, rows),

  find: (memberId) => (isId(memberId) ? db.find(rows.byId(memberId), rows.toMember) : nothing),

  insert: (member, passwordHash) => {
    const created = memberCreated(announce, member, rows)
    return db.write(async (tx) => {
      if (!(await insertMember(tx, member, storedCredential(member, passwordHash), rows)))
        return rows.isChecked && (await isSignIdFree(tx, member)) && rows.faults(tx, member)
      await tx.append(created)
      return true
    })
  },

  replace: (member, changed) => {
    const replace = async (tx: Transaction) =>
      (await replaceMember(tx, member, rows)) || (rows.isChecked && rows.faults(tx, member))
    if (changed.length === 0) return db.write(replace)
    const updated = announce({ type: 'member.updated', subject: member.memberId, changed })
    return db.write(async (tx) => {
      const outcome = await replace(tx)
      if (outcome === true) await tx.append(updated(member.version, member))
      return outcome
    })
  },

  replaceCredential: (member, passwordHash, changed) => {
    const updated = announce({ type: 'member.credentialChanged', subject: member.memberId, changed })
    return db.write(async (tx) => {
      if (!(await isSignIdFree(tx, member))) return 'sign id in use'
      const [known] = await tx.read(credentialOf(member.memberId), credentialTable.make)
      if (!known || !(await replaceMember(tx, member, rows))) return 'changed meanwhile'
      await tx.run(credentialTable.update({ ...known, ...member.credential, passwordHash }))
      await tx.append(updated(member.version, member))
      await tx.publish(credentialTopic, member.memberId)
      return 'done'
    })
  },

  remove: async (memberId, version) => {
    if (!isId(memberId)) return false
    const remove = removal({ announce, references }, memberId, version)
    return db.write(remove)
  },

  erase: async (memberId, version) => {
    if (!isId(memberId)) return false
    const remove = removal({ announce, references }, memberId, version)
    const { queries, done } = erasure(memberId)
    const isErased = await db.write(async (tx) => {
      const isRemoved = await remove(tx)
      if (!isRemoved && (await tx.read(rows.byId(memberId), rows.toMember)).length > 0) return false
      const erased = await Promise.all(queries.map((query) => tx.run(query)))
      await tx.publish(erasureTopic, '')
      return isRemoved || erased.some((count) => count > 0)
    })
    if (isErased) done()
    return isErased
  },

  role: (memberId) => (isId(memberId) ? db.find(roleById(memberId), toMemberRole) : nothing),

  replaceRole: (member, role) => {
    const updated = announce({ type: 'member.roleChanged', subject: member.memberId, changed: ['role'] })
    return db.write(async (tx) => {
      const [known] = await tx.read(credentialOf(member.memberId), credentialTable.make)
      if (!known || !(await replaceMember(tx, member, rows))) return false
      await tx.run(credentialTable.update({ ...known, role, roleChangedAt: member.lastModifiedAt }))
      await tx.append(updated(member.version, member))
      await tx.publish(credentialTopic, member.memberId)
      return true
    })
  },

  passwordHash: (memberId) => db.find(passwordHashOf(memberId), toPasswordHash),
})

/** Where nothing is declared that could refer to a member. */
const noReferences = { releasing: () => undefined }

/** To be made before the write begins, as every announcement. */
const removal = (
  {
    announce,
    references,
  }: { readonly announce: Announce; readonly references: Pick<References, 'releasing'> },
  memberId: string,
  version: number | undefined,
) => {
  const deleted = announce({ type: 'member.deleted', subject: memberId, changed: [] })
  const release = references.releasing('member', memberId)
  return async (tx: Transaction) => {
    await release?.(tx)
    const last = await deleteMember(tx, memberId, version)
    if (last === undefined) return false
    await tx.append(deleted(last + 1))
    await tx.publish(credentialTopic, memberId)
    return true
  }
}

/** Enters a new member in the log of changes. */
export const memberCreated = (
  announce: Announce,
  member: Member,
  { written }: Pick<MemberRows, 'written'> = specifiedRows,
) => announce({ type: 'member.created', subject: member.memberId, changed: written })(member.version, member)

const roleById = lookup({
  select: 'SELECT member.member_id, member.version, credential.role',
  from: 'member JOIN credential ON credential.member_id = member.member_id',
  key: 'member.member_id',
})

const toMemberRole = ({ role, version }: Row): MemberRole => ({
  role: (role ?? 'member') as Role,
  version: Number(version),
})

const passwordHashOf = lookup({
  select: 'SELECT member_id, password_hash',
  from: 'credential',
  key: 'member_id',
})

const toPasswordHash = (row: Row) => String(row.password_hash)

const isSignIdFree = async (tx: Transaction, { memberId, credential }: Member) => {
  const owners = await tx.read(
    sql`SELECT member_id FROM credential WHERE sign_id_folded = ${fold(credential.signId)}`,
    (row) => String(row.member_id),
  )
  return owners.every((owner) => owner === memberId)
}
