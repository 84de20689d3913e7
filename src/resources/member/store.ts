import { fold } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import { credentialTopic } from '#resources/resource.ts'
import { type Database, nothing, type Row, type Transaction } from '#sql/database.ts'
import { lookup, sql } from '#sql/query.ts'
import { memberLists } from './lists.ts'
import {
  credentialTable,
  deleteMember,
  insertMember,
  memberColumns,
  replaceMember,
  storedCredential,
  toMember,
} from './rows.ts'
import type { Member } from './schema.ts'
import type { MemberStore } from './service.ts'

export const memberStore = (db: Database): MemberStore => ({
  ...memberLists(db),

  find: (memberId) => (isId(memberId) ? db.find(memberById(memberId), toMember) : nothing),

  insert: (member, passwordHash) =>
    db.write((tx) => insertMember(tx, member, storedCredential(member, passwordHash))),

  replace: (member) => db.write((tx) => replaceMember(tx, member)),

  replaceCredential: (member, passwordHash) =>
    db.write(async (tx) => {
      if (!(await isSignIdFree(tx, member))) return 'sign id in use'
      if (!(await replaceMember(tx, member))) return 'changed meanwhile'
      await tx.run(credentialTable.update(storedCredential(member, passwordHash)))
      await tx.publish(credentialTopic, member.memberId)
      return 'done'
    }),

  remove: async (memberId, version) =>
    isId(memberId) &&
    db.write(async (tx) => {
      if (!(await deleteMember(tx, memberId, version))) return false
      await tx.publish(credentialTopic, memberId)
      return true
    }),

  passwordHash: (memberId) => db.find(passwordHashOf(memberId), toPasswordHash),
})

const memberById = lookup({
  select: memberColumns.text,
  from: 'member JOIN credential ON credential.member_id = member.member_id',
  key: 'member.member_id',
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
