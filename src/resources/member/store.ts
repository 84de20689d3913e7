import { memberName } from '#access/principals.ts'
import { fold } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import type { Actor } from '#http/api/change.ts'
import { erasureOf, type MakeLogEntry } from '#ledger/change-log.ts'
import { deleteViewsOf } from '#ledger/views.ts'
import { noReferences } from '#resources/machine/references.ts'
import { credentialTopic, type ResourceContext } from '#resources/resource.ts'
import { type Database, erasureTopic, noResult, type Row, type Transaction } from '#sql/database.ts'
import { lookup, raw, sql } from '#sql/query.ts'
import type { PreparedCredential } from './credential.ts'
import type { StoredInvitation } from './invitation.ts'
import { memberLists } from './lists.ts'
import {
  credentialTable,
  defaultMemberRows,
  deleteMember,
  insertMember,
  lockCredential,
  type NewCredentialSecrets,
  noInvitation,
  replaceMember,
  toStoredMember,
} from './rows.ts'
import type { Member, MemberRole, Role } from './schema.ts'
import type { ChangeCall } from './service.ts'

export type MemberStore = ReturnType<typeof memberStore>

/** Reads and writes members. `insert` and `replace` return details if the reason of a refusal is an added field. */
export const memberStore = (
  db: Database,
  makeLogEntry: MakeLogEntry,
  references = noReferences,
  rows = defaultMemberRows,
) => ({
  ...memberLists(db, rows),

  find: (memberId: string): Promise<Member | undefined> =>
    isId(memberId) ? db.find(rows.byId(memberId), rows.toMember) : noResult,

  /** False if the sign id is in use. */
  insert: (member: Member, secrets: NewCredentialSecrets, actor: Actor) =>
    db.write(async (tx) => {
      if (!(await insertMember(tx, toStoredMember(member, secrets), rows)))
        return rows.hasConstraints && (await isSignIdFree(tx, member)) && rows.faults(tx, member)
      const createdFields = secrets.role ? [...rows.createdFields, 'role'] : rows.createdFields
      await tx.append(makeLogEntry(changeOf(member, 'created', createdFields), actor))
      return true
    }),

  /**
   * Replaces the previous version, except its credential. False if another request changed the member first. If `changed` is empty,
   * only the version and `lastModifiedAt` change, and the log gets no entry.
   */
  replace: (member: Member, changed: readonly string[], actor: Actor) =>
    db.write(async (tx) => {
      if (!(await replaceMember(tx, member, { ...rows, changed })))
        return rows.hasConstraints && rows.faults(tx, member)
      if (changed.length > 0) await tx.append(makeLogEntry(changeOf(member, 'updated', changed), actor))
      return true
    }),

  /**
   * Replaces the previous version, including its credential. Without `passwordHash`, the password stays. Callers with scopes may not
   * change administrators.
   */
  replaceCredential: (
    member: Member,
    { passwordHash, changed, invitationHash, callerHasScopes }: CredentialUpdate,
    actor: Actor,
  ): Promise<'done' | 'changed meanwhile' | 'sign id in use' | 'administrator'> =>
    db.write(async (tx) => {
      if (!(await isSignIdFree(tx, member))) return 'sign id in use'
      const known = await lockCredential(tx, member.memberId)
      if (callerHasScopes && known?.role === 'administrator') return 'administrator'
      const isInvited = invitationHash === undefined || known?.invitationHash === invitationHash
      if (!known || !isInvited || !(await replaceMember(tx, member, { ...rows, changed })))
        return 'changed meanwhile'
      await tx.run(
        credentialTable.update({
          ...known,
          ...member.credential,
          ...noInvitation,
          passwordHash: passwordHash ?? known.passwordHash,
        }),
      )
      await tx.append(makeLogEntry(changeOf(member, 'credentialChanged', changed), actor))
      await tx.publish(credentialTopic, member.memberId)
      return 'done'
    }),

  /** Deletes the expected version, or any version if none is expected. False if there is no such version. */
  remove: async (memberId: string, call: ChangeCall) => {
    if (!isId(memberId)) return false
    return db.write(removeIn({ makeLogEntry, references }, memberId, call))
  },

  /** Deletes a member like `remove`, and erases its history and kept answers, even if it was deleted before. False if it does neither. */
  erase: async (memberId: string, call: ChangeCall) => {
    if (!isId(memberId)) return false
    const remove = removeIn({ makeLogEntry, references }, memberId, call)
    const isErased = await db.write(async (tx) => {
      const isRemoved = await remove(tx)
      if (!isRemoved && (await tx.read(rows.byId(memberId), rows.toMember)).length > 0) return false
      const erased = await Promise.all(erasureOf('member', memberId).map((query) => tx.run(query)))
      await tx.publish(erasureTopic, '')
      return isRemoved || erased.some((count) => count > 0)
    })
    // Earlier changes of the same request are not in the log yet, so their values are erased here.
    if (isErased) for (const one of call.actor.pendingChanges) if (one.subject === memberId) one.erase()
    return isErased
  },

  role: (memberId: string): Promise<MemberRole | undefined> =>
    isId(memberId) ? db.find(roleById(memberId), toMemberRole) : noResult,

  /** Changes the role of the previous version. False if another request changed the member first. */
  replaceRole: (member: Member, role: Role, actor: Actor) =>
    db.write(async (tx) => {
      const known = await lockCredential(tx, member.memberId)
      if (!known || !(await replaceMember(tx, member, { ...rows, changed: [] }))) return false
      const invitation = role === 'member' ? {} : noInvitation
      const newRole = { role, roleChangedAt: member.lastModifiedAt }
      await tx.run(credentialTable.update({ ...known, ...newRole, ...invitation }))
      // The role is not a field of the member, so the log stores it in `altered`, beside the member.
      const altered = [{ field: 'role', from: known.role ?? 'member', to: role }]
      const change = changeOf({ ...member, altered } as Member, 'roleChanged', ['role'])
      await tx.append(makeLogEntry(change, actor))
      await tx.publish(credentialTopic, member.memberId)
      return true
    }),

  passwordHash: (memberId: string) => db.find(passwordHashOf(memberId), toPasswordHash),

  /** Stores an invitation in place of an earlier one. Callers with scopes may not invite administrators. */
  invite: async (
    { memberId, hash, endsAt }: StoredInvitation,
    callerHasScopes: boolean,
  ): Promise<'done' | 'unknown' | 'suspended' | 'administrator'> => {
    if (!isId(memberId)) return 'unknown'
    return db.write(async (tx) => {
      const known = await lockCredential(tx, memberId)
      if (!known) return 'unknown'
      if (known.role === 'suspended') return 'suspended'
      if (callerHasScopes && known.role === 'administrator') return 'administrator'
      await tx.run(credentialTable.update({ ...known, invitationHash: hash, invitationEndsAt: endsAt }))
      return 'done'
    })
  },

  findInvitation: async (hash: string): Promise<StoredInvitation | undefined> => {
    const known = await db.find(sql`${byInvitation} ${hash}`, credentialTable.toRecord)
    if (!known || known.role === 'suspended') return undefined
    return { memberId: known.memberId, hash, endsAt: known.invitationEndsAt ?? 0 }
  },
})

interface CredentialUpdate extends Pick<PreparedCredential, 'passwordHash' | 'invitationHash'> {
  readonly callerHasScopes?: boolean
  readonly changed: readonly string[]
}

const byInvitation = raw(`SELECT ${credentialTable.selected} FROM credential WHERE invitation_hash =`)

const removeIn =
  (
    { makeLogEntry, references }: Pick<ResourceContext, 'makeLogEntry' | 'references'>,
    memberId: string,
    { expectedVersion, actor }: ChangeCall,
  ) =>
  async (tx: Transaction) => {
    await references.deleteReferrers(tx, { resource: 'member', id: memberId }, actor)
    const last = await deleteMember(tx, memberId, expectedVersion)
    if (last === undefined) return false
    const change = { type: 'member.deleted', subject: memberId, version: last + 1, changed: [] }
    await tx.append(makeLogEntry(change, actor))
    await tx.run(deleteViewsOf(memberName(memberId)))
    await tx.publish(credentialTopic, memberId)
    return true
  }

export const changeOf = (record: Member, type: string, changed: readonly string[]) => ({
  type: `member.${type}`,
  subject: record.memberId,
  version: record.version,
  changed,
  record,
})

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

export const isSignIdFree = async (
  reader: Pick<Transaction, 'read'>,
  { memberId, credential }: Pick<Member, 'memberId' | 'credential'>,
) => {
  const owners = await reader.read(
    sql`SELECT member_id FROM credential WHERE sign_id_folded = ${fold(credential.signId)}`,
    (row) => String(row.member_id),
  )
  return owners.every((owner) => owner === memberId)
}
