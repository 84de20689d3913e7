import { fold } from '#core/fold.ts'
import { Hashed, Id, Nullable, StoredText, Text, UtcTimestamp, Version } from '#core/schema.ts'
import { derivedOf, referencesOf } from '#resources/machine/storage.ts'
import { writesOf } from '#resources/machine/store.ts'
import type { Row, Transaction } from '#sql/database.ts'
import { rebuildDerived } from '#sql/derive.ts'
import { key, lookup, raw, sql } from '#sql/query.ts'
import { type StoredOf, table } from '#sql/table.ts'
import { type Member, type MemberShapes, Role, specified } from './schema.ts'
import { type Findable, wordsOf } from './search.ts'
import { searchableName, searchableText } from './search-text.ts'
import { maxSignIdLength } from './sign-id.ts'

const credentialFields = {
  memberId: Id,
  signId: Text(0, maxSignIdLength),
  passwordHash: StoredText,
  passwordLastChangedAt: UtcTimestamp,
  lastModifiedAt: UtcTimestamp,
  role: Nullable(Role),
  roleChangedAt: Nullable(UtcTimestamp),
  invitationHash: Nullable(Hashed(StoredText)),
  invitationEndsAt: Nullable(UtcTimestamp),
}
export type StoredCredential = StoredOf<typeof credentialFields>

export const credentialTable = table({
  name: 'credential',
  fields: credentialFields,
  key: 'memberId',
  addedLater: ['role', 'roleChangedAt', 'invitationHash', 'invitationEndsAt'],
  derived: { sign_id_folded: ({ signId }) => fold(signId) },
})

/** The password hash is not among what may be shown. */
const shownCredential = credentialTable.selection('credential_', [
  'signId',
  'passwordLastChangedAt',
  'lastModifiedAt',
])

/** How members of these shapes are stored and read. */
export const memberRows = ({ fields, added, profileNames }: MemberShapes) => {
  const { derived, ...derivation } = derivedOf(added)
  const memberTable = table({
    name: 'member',
    fields: { ...fields, version: Version },
    key: 'memberId',
    fixed: ['createdAt'],
    refersTo: referencesOf(added),
    derived: {
      searchable_name: searchableName,
      searchable_text: searchableText,
      email_folded: ({ emailAddress }) => fold(emailAddress),
      telephone_folded: ({ telephoneNumber }) => fold(telephoneNumber ?? ''),
      ...derived,
    },
  })
  const declared = { room: 'member', table: memberTable, added: Object.keys(added), ...derivation }
  /** The columns that may be shown. */
  const columns = raw(`SELECT ${memberTable.selected}, ${shownCredential.selected}, member.member_number`)
  return {
    added,
    /** The fields that a new member is given. */
    written: [...profileNames, 'credential.signId', 'credential.password'],
    table: memberTable,
    declared,
    ...writesOf(declared),
    columns,
    byId: lookup({
      select: columns.text,
      from: 'member JOIN credential ON credential.member_id = member.member_id',
      key: 'member.member_id',
    }),
    toMember: (row: Row): Member => ({ ...memberTable.make(row), credential: shownCredential.make(row) }),
  }
}
export type MemberRows = ReturnType<typeof memberRows>

export const specifiedRows = memberRows(specified)

/** The hidden part of a new member's credential. It has no role unless one was given. */
export interface NewLogin {
  readonly passwordHash: string
  readonly role?: Role | null
}

/** A member with its whole credential: no answer is made from it. */
export type StoredMember = Omit<Member, 'credential'> & { readonly credential: StoredCredential }

export const storedMember = (member: Member, { passwordHash, role = null }: NewLogin): StoredMember => {
  const { memberId, credential, createdAt } = member
  const roleChangedAt = role === null ? null : createdAt
  const hidden = { memberId, passwordHash, role, roleChangedAt, ...noInvitation }
  return { ...member, credential: { ...credential, ...hidden } }
}

export const noInvitation = { invitationHash: null, invitationEndsAt: null }

/** Reads a credential, which nobody else changes until the transaction ends. */
export const holdCredential = async (
  tx: Transaction,
  memberId: string,
): Promise<StoredCredential | undefined> => {
  await tx.run(sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`)
  const [known] = await tx.read(credentialOf(memberId), credentialTable.make)
  return known
}

/** False when the sign id is in use, or a further field may not have its value. */
export const insertMember = async (
  tx: Transaction,
  member: StoredMember,
  rows: Pick<MemberRows, 'insertion'> = specifiedRows,
) => {
  const inserted = await tx.run(sql`${credentialTable.insert(member.credential)} ON CONFLICT DO NOTHING`)
  if (inserted === 0) return false
  if ((await tx.run(rows.insertion(member))) === 0) {
    await tx.run(credentialGone(member.memberId))
    return false
  }
  await insertWords(tx, member)
  return true
}

interface Replacing extends Pick<MemberRows, 'replacement'> {
  /** The fields that differ from the previous version. */
  readonly changed: readonly string[]
}

/** False when the previous version is not there, or a further field may not have its value. */
export const replaceMember = async (tx: Transaction, member: Member, { replacement, changed }: Replacing) => {
  if ((await tx.run(replacement(member))) === 0) return false
  if (changed.some((field) => foundBy.has(field))) await renewWords(tx, member)
  return true
}

/** The fields that the words of the index are made of. */
const foundBy: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'genderCode', 'emailAddress', 'telephoneNumber', 'credential.signId'],
])

/** Rebuilds what members are found by after the rules of folding changed. */
export const renewSearch =
  ({ table }: Pick<MemberRows, 'table'> = specifiedRows) =>
  (tx: Transaction) =>
    rebuildDerived(tx, table, async (member) => {
      const [credential] = await tx.read(credentialOf(member.memberId), credentialTable.make)
      if (credential) await renewWords(tx, { ...member, credential })
    })

/**
 * Returns the version that is deleted: this one, or any if undefined. Undefined when it is not there. The credential goes
 * first; nobody changes the member meanwhile.
 */
export const deleteMember = async (tx: Transaction, memberId: string, version: number | undefined) => {
  const any = sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`
  const one = version === undefined ? any : sql`${any} AND version = ${version}`
  const [held] = await tx.read(sql`${one} RETURNING version`, (row) => Number(row.version))
  if (held === undefined) return undefined
  await tx.run(credentialGone(memberId))
  await deleteGrams(tx, memberId)
  await tx.run(sql`DELETE FROM member WHERE member_id = ${key(memberId)}`)
  return held
}

const credentialGone = (memberId: string) => sql`DELETE FROM credential WHERE member_id = ${key(memberId)}`

export const credentialOf = lookup({
  select: `SELECT ${credentialTable.selected}`,
  from: 'credential',
  key: 'member_id',
})

const renewWords = async (tx: Transaction, member: Findable & { readonly memberId: string }) => {
  await deleteGrams(tx, member.memberId)
  await insertWords(tx, member)
}

const insertWords = (tx: Transaction, member: Findable & { readonly memberId: string }) =>
  tx.run(sql`
    INSERT INTO member_gram (rowid, grams)
    SELECT member_number, ${wordsOf(member)} FROM member WHERE member_id = ${key(member.memberId)}`)

const deleteGrams = (tx: Transaction, memberId: string) =>
  tx.run(sql`
    DELETE FROM member_gram
    WHERE rowid = (SELECT member_number FROM member WHERE member_id = ${key(memberId)})`)
