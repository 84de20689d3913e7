import { fold } from '#core/fold.ts'
import { Hashed, Id, Nullable, StoredText, Text, UtcTimestamp, Version } from '#core/schema.ts'
import { derivedOf, referencesOf } from '#resources/machine/storage.ts'
import { checkedStatements } from '#resources/machine/store.ts'
import type { Row, Transaction } from '#sql/database.ts'
import { forEachRow, rebuildDerived } from '#sql/derive.ts'
import { key, lookup, raw, sql, statement } from '#sql/query.ts'
import { type StoredOf, table } from '#sql/table.ts'
import { indexWordsOf, type SearchableMember, sqliteWordsOf } from './index-words.ts'
import { defaultShapes, type Member, type MemberSchemas, Role } from './schema.ts'
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

/** The columns of a credential that an answer shows. */
const publicCredential = credentialTable.selection('credential_', [
  'signId',
  'passwordLastChangedAt',
  'lastModifiedAt',
])

export const memberRows = ({ fields, added, profileNames }: MemberSchemas) => {
  const { derived, ...derivation } = derivedOf(added)
  const memberTable = table({
    name: 'member',
    fields: { ...fields, version: Version },
    key: 'memberId',
    immutable: ['createdAt'],
    refersTo: referencesOf(added),
    derived: {
      searchable_name: searchableName,
      searchable_text: searchableText,
      email_folded: ({ emailAddress }) => fold(emailAddress),
      telephone_folded: ({ telephoneNumber }) => fold(telephoneNumber ?? ''),
      ...derived,
    },
  })
  const declared = {
    resource: 'member',
    table: memberTable,
    managedFields: Object.keys(added),
    ...derivation,
  }
  const columns = raw(`SELECT ${memberTable.selected}, ${publicCredential.selected}, member.member_number`)
  return {
    added,
    /** The fields that the log names for a creation. */
    createdFields: [...profileNames, 'credential.signId', 'credential.password'],
    table: memberTable,
    declared,
    ...checkedStatements(declared),
    columns,
    byId: lookup({
      select: columns.text,
      from: 'member JOIN credential ON credential.member_id = member.member_id',
      key: 'member.member_id',
    }),
    toMember: (row: Row): Member => ({
      ...memberTable.toRecord(row),
      credential: publicCredential.toRecord(row),
    }),
  }
}
export type MemberRows = ReturnType<typeof memberRows>

export const defaultMemberRows = memberRows(defaultShapes)

/** The part of a new credential that no answer shows. */
export interface NewCredentialSecrets {
  readonly passwordHash: string
  readonly role?: Role | null
}

/** A member with its whole credential, as it is stored. */
export type StoredMember = Omit<Member, 'credential'> & { readonly credential: StoredCredential }

export const toStoredMember = (
  member: Member,
  { passwordHash, role = null }: NewCredentialSecrets,
): StoredMember => {
  const { memberId, credential, createdAt } = member
  const roleChangedAt = role === null ? null : createdAt
  const hidden = { memberId, passwordHash, role, roleChangedAt, ...noInvitation }
  return { ...member, credential: { ...credential, ...hidden } }
}

export const noInvitation = { invitationHash: null, invitationEndsAt: null }

/** Locks the member and reads its credential. */
export const lockCredential = async (
  tx: Transaction,
  memberId: string,
): Promise<StoredCredential | undefined> => {
  await tx.run(sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`)
  const [known] = await tx.read(credentialOf(memberId), credentialTable.toRecord)
  return known
}

/** Inserts a member. False if the sign id is in use, if a unique value of an added field is in use, or if a referenced record does not exist. */
export const insertMember = async (
  tx: Transaction,
  member: StoredMember,
  rows: Pick<MemberRows, 'insertion'> = defaultMemberRows,
) => {
  const inserted = await tx.run(sql`${credentialTable.insert(member.credential)} ON CONFLICT DO NOTHING`)
  if (inserted === 0) return false
  // PostgreSQL gets both statements in one round trip. If the member was not inserted, the second statement inserts nothing.
  const isPipelined = tx.engine === 'postgres'
  const insertion = tx.run(rows.insertion(member))
  const [count] = await Promise.all([insertion, isPipelined && insertWords(tx, member)])
  if (count === 0) {
    await tx.run(credentialDeletion(member.memberId))
    return false
  }
  if (!isPipelined) await insertWords(tx, member)
  return true
}

interface Replacement extends Pick<MemberRows, 'replacement'> {
  /** The fields that differ from the previous version. */
  readonly changed: readonly string[]
}

/** Replaces the previous version. False if that version is gone, if a unique value of an added field is in use, or if a referenced record does not exist. */
export const replaceMember = async (
  tx: Transaction,
  member: Member,
  { replacement, changed }: Replacement,
) => {
  if ((await tx.run(replacement(member))) === 0) return false
  if (changed.some((field) => indexedFields.has(field))) await replaceWords(tx, member)
  return true
}

const indexedFields: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'genderCode', 'dateOfBirth'],
  ...['emailAddress', 'telephoneNumber', 'credential.signId'],
])

/** Rebuilds the search columns and the index after the folding rules changed. */
export const rebuildSearchColumns =
  ({ table }: Pick<MemberRows, 'table'> = defaultMemberRows) =>
  (tx: Transaction) =>
    rebuildDerived(tx, table, async (member) => {
      const [credential] = await tx.read(credentialOf(member.memberId), credentialTable.toRecord)
      if (credential) await replaceWords(tx, { ...member, credential })
    })

/** Inserts the words of all members into the empty index. */
export const fillWordIndex =
  ({ table }: Pick<MemberRows, 'table'> = defaultMemberRows) =>
  (tx: Transaction) =>
    forEachRow(tx, { table, additionalColumns: [] }, async (row) => {
      const member = table.toRecord(row)
      const [credential] = await tx.read(credentialOf(member.memberId), credentialTable.toRecord)
      if (credential) await insertWords(tx, { ...member, credential })
    })

/**
 * Deletes a member if it has this version; undefined deletes any version. Returns the deleted version, or undefined if there is
 * none. Locks the member first, because its credential is deleted before the member itself.
 */
export const deleteMember = async (tx: Transaction, memberId: string, version: number | undefined) => {
  const lock = sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`
  const lockOfVersion = version === undefined ? lock : sql`${lock} AND version = ${version}`
  const [lockedVersion] = await tx.read(sql`${lockOfVersion} RETURNING version`, (row) => Number(row.version))
  if (lockedVersion === undefined) return undefined
  await tx.run(credentialDeletion(memberId))
  await deleteWords(tx, memberId)
  await tx.run(sql`DELETE FROM member WHERE member_id = ${key(memberId)}`)
  return lockedVersion
}

const credentialDeletion = (memberId: string) =>
  sql`DELETE FROM credential WHERE member_id = ${key(memberId)}`

export const credentialOf = lookup({
  select: `SELECT ${credentialTable.selected}`,
  from: 'credential',
  key: 'member_id',
})

const replaceWords = async (tx: Transaction, member: SearchableMember & { readonly memberId: string }) => {
  await deleteWords(tx, member.memberId)
  await insertWords(tx, member)
}

const insertWords = async (tx: Transaction, member: SearchableMember & { readonly memberId: string }) => {
  const { memberId } = member
  const words = indexWordsOf(member)
  if (tx.engine === 'postgres') {
    await tx.run(sql`
      INSERT INTO member_gram (rowid, grams, searchable_text)
      SELECT member_number, ${words.padEnd(outOfLineLength)}, searchable_text FROM member WHERE member_id = ${key(memberId)}`)
    return
  }
  // Uses VALUES, because before an `INSERT … SELECT` SQLite's index writes all its buffered words to the file.
  await tx.run(sql`
    INSERT INTO member_gram (rowid, grams)
    VALUES ((SELECT member_number FROM member WHERE member_id = ${key(memberId)}), ${`${words} ${sqliteWordsOf(member)}`})`)
  if (memberId.endsWith('0')) await tx.run(statement(mergeIndexStep, [], [memberId]))
}

/** PostgreSQL stores a text of this length outside its row (TOAST), so that a count reads few pages. */
const outOfLineLength = 2100

/**
 * By default SQLite's index merges hundreds of its pages at once, while every request waits. So after one in sixteen members, a
 * step merges as many pages as sixteen members fill on all levels of the index.
 */
const mergeIndexStep = "INSERT INTO member_gram (member_gram, rank) VALUES ('merge', 16)"

const deleteWords = (tx: Transaction, memberId: string) =>
  tx.run(sql`
    DELETE FROM member_gram
    WHERE rowid = (SELECT member_number FROM member WHERE member_id = ${key(memberId)})`)
