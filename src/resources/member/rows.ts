import { fold } from '#core/fold.ts'
import { Hashed, Id, Nullable, StoredText, Text, UtcTimestamp, Version } from '#core/schema.ts'
import { derivedOf, referencesOf } from '#resources/machine/storage.ts'
import { checkedStatements } from '#resources/machine/store.ts'
import type { Row, Transaction } from '#sql/database.ts'
import { forEachRow, rebuildDerived } from '#sql/derive.ts'
import { key, lookup, raw, sql, statement } from '#sql/query.ts'
import { type StoredOf, table } from '#sql/table.ts'
import { type Findable, furtherWordsOf, wordsOf } from './index-words.ts'
import { type Member, type MemberShapes, Role, specified } from './schema.ts'
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

/** The columns that may be shown, without the password hash. */
const shownCredential = credentialTable.selection('credential_', [
  'signId',
  'passwordLastChangedAt',
  'lastModifiedAt',
])

export const memberRows = ({ fields, added, profileNames }: MemberShapes) => {
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
  const columns = raw(`SELECT ${memberTable.selected}, ${shownCredential.selected}, member.member_number`)
  return {
    added,
    /** The fields that a creation writes. */
    written: [...profileNames, 'credential.signId', 'credential.password'],
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
      credential: shownCredential.toRecord(row),
    }),
  }
}
export type MemberRows = ReturnType<typeof memberRows>

export const specifiedRows = memberRows(specified)

/** The hidden part of a new member's credential. */
export interface NewLogin {
  readonly passwordHash: string
  readonly role?: Role | null
}

/** A member with its whole credential. It is never shown. */
export type StoredMember = Omit<Member, 'credential'> & { readonly credential: StoredCredential }

export const storedMember = (member: Member, { passwordHash, role = null }: NewLogin): StoredMember => {
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

/** False if the sign id is in use, or if an added field has a value that is taken or refers to nothing. */
export const insertMember = async (
  tx: Transaction,
  member: StoredMember,
  rows: Pick<MemberRows, 'insertion'> = specifiedRows,
) => {
  const inserted = await tx.run(sql`${credentialTable.insert(member.credential)} ON CONFLICT DO NOTHING`)
  if (inserted === 0) return false
  // PostgreSQL gets both statements in one round trip. Without the member, the second one inserts nothing.
  const isTogether = tx.engine === 'postgres'
  const insertion = tx.run(rows.insertion(member))
  const [count] = await Promise.all([insertion, isTogether && insertWords(tx, member)])
  if (count === 0) {
    await tx.run(credentialDeletion(member.memberId))
    return false
  }
  if (!isTogether) await insertWords(tx, member)
  return true
}

interface Replacing extends Pick<MemberRows, 'replacement'> {
  /** The fields that differ from the previous version. */
  readonly changed: readonly string[]
}

/** False if the previous version is gone, or if an added field has a value that is taken or refers to nothing. */
export const replaceMember = async (tx: Transaction, member: Member, { replacement, changed }: Replacing) => {
  if ((await tx.run(replacement(member))) === 0) return false
  if (changed.some((field) => indexedFields.has(field))) await renewWords(tx, member)
  return true
}

const indexedFields: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'genderCode', 'dateOfBirth'],
  ...['emailAddress', 'telephoneNumber', 'credential.signId'],
])

/** Rebuilds the search columns and the index after the folding rules changed. */
export const renewSearch =
  ({ table }: Pick<MemberRows, 'table'> = specifiedRows) =>
  (tx: Transaction) =>
    rebuildDerived(tx, table, async (member) => {
      const [credential] = await tx.read(credentialOf(member.memberId), credentialTable.toRecord)
      if (credential) await renewWords(tx, { ...member, credential })
    })

/** Gives each member its words in the emptied index. */
export const fillWords =
  ({ table }: Pick<MemberRows, 'table'> = specifiedRows) =>
  (tx: Transaction) =>
    forEachRow(tx, { table, additionalColumns: [] }, async (row) => {
      const member = table.toRecord(row)
      const [credential] = await tx.read(credentialOf(member.memberId), credentialTable.toRecord)
      if (credential) await insertWords(tx, { ...member, credential })
    })

/**
 * Deletes this version, or any version if undefined. Returns the deleted version; undefined if there is none. Locks the member
 * first, because its credential is deleted before it.
 */
export const deleteMember = async (tx: Transaction, memberId: string, version: number | undefined) => {
  const any = sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`
  const one = version === undefined ? any : sql`${any} AND version = ${version}`
  const [held] = await tx.read(sql`${one} RETURNING version`, (row) => Number(row.version))
  if (held === undefined) return undefined
  await tx.run(credentialDeletion(memberId))
  await deleteGrams(tx, memberId)
  await tx.run(sql`DELETE FROM member WHERE member_id = ${key(memberId)}`)
  return held
}

const credentialDeletion = (memberId: string) =>
  sql`DELETE FROM credential WHERE member_id = ${key(memberId)}`

export const credentialOf = lookup({
  select: `SELECT ${credentialTable.selected}`,
  from: 'credential',
  key: 'member_id',
})

const renewWords = async (tx: Transaction, member: Findable & { readonly memberId: string }) => {
  await deleteGrams(tx, member.memberId)
  await insertWords(tx, member)
}

const insertWords = async (tx: Transaction, member: Findable & { readonly memberId: string }) => {
  const { memberId } = member
  const words = wordsOf(member)
  if (tx.engine === 'postgres') {
    await tx.run(sql`
      INSERT INTO member_gram (rowid, grams, searchable_text)
      SELECT member_number, ${words.padEnd(apartLength)}, searchable_text FROM member WHERE member_id = ${key(memberId)}`)
    return
  }
  // The index writes all that it has gathered before an `INSERT` that selects, so this one does not.
  await tx.run(sql`
    INSERT INTO member_gram (rowid, grams)
    VALUES ((SELECT member_number FROM member WHERE member_id = ${key(memberId)}), ${`${words} ${furtherWordsOf(member)}`})`)
  if (memberId.endsWith('0')) await tx.run(statement(mergeSome, [], [memberId]))
}

/** PostgreSQL stores a text of this length apart from its row, so that a count reads few pages. */
const apartLength = 2100

/**
 * By itself SQLite's index merges hundreds of its pages at once, and every request waits. So one in sixteen members merges as
 * many as sixteen members fill on all levels.
 */
const mergeSome = "INSERT INTO member_gram (member_gram, rank) VALUES ('merge', 16)"

const deleteGrams = (tx: Transaction, memberId: string) =>
  tx.run(sql`
    DELETE FROM member_gram
    WHERE rowid = (SELECT member_number FROM member WHERE member_id = ${key(memberId)})`)
