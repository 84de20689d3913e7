import { fold } from '#core/fold.ts'
import { checksum } from '#sql/checksum.ts'
import type { Row, Transaction } from '#sql/database.ts'
import { key, raw, sql } from '#sql/query.ts'
import type { Member } from './schema.ts'
import { gramsOf, searchableName } from './search.ts'

/** The columns that may be shown. The password hash is not among them. */
export const memberColumns = raw(`
  SELECT member.member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number,
    zip_code, address, sign_id, password_last_changed_at, credential.last_modified_at AS credential_last_modified_at,
    created_at, member.last_modified_at, version, member_number`)

const textOrNull = (value: Row[string]) => (value === null ? null : String(value))

export const toMember = (row: Row): Member => ({
  memberId: String(row.member_id),
  firstName: String(row.first_name),
  lastName: String(row.last_name),
  genderCode: String(row.gender_code) as Member['genderCode'],
  dateOfBirth: String(row.date_of_birth),
  emailAddress: String(row.email_address),
  telephoneNumber: textOrNull(row.telephone_number ?? null),
  zipCode: textOrNull(row.zip_code ?? null),
  address: textOrNull(row.address ?? null),
  credential: {
    signId: String(row.sign_id),
    passwordLastChangedAt: Number(row.password_last_changed_at),
    lastModifiedAt: Number(row.credential_last_modified_at),
  },
  createdAt: Number(row.created_at),
  lastModifiedAt: Number(row.last_modified_at),
  version: Number(row.version),
})

/**
 * Covers the columns that do not follow from others in the row. Derived ones, such as the searchable name, are recomputed
 * and compared.
 */
export const memberChecksum = (member: Member) =>
  checksum([
    member.memberId,
    member.firstName,
    member.lastName,
    member.genderCode,
    member.dateOfBirth,
    member.emailAddress,
    member.telephoneNumber,
    member.zipCode,
    member.address,
    member.createdAt,
    member.lastModifiedAt,
    member.version,
  ])

export const credentialChecksum = (
  { memberId, credential }: Pick<Member, 'memberId' | 'credential'>,
  passwordHash: string,
) =>
  checksum([
    memberId,
    credential.signId,
    passwordHash,
    credential.passwordLastChangedAt,
    credential.lastModifiedAt,
  ])

/** False when the sign id is in use. */
export const insertCredential = async (tx: Transaction, member: Member, passwordHash: string) => {
  const { signId, passwordLastChangedAt, lastModifiedAt } = member.credential
  const inserted = await tx.run(sql`
    INSERT INTO credential
      (member_id, sign_id, sign_id_folded, password_hash, password_last_changed_at, last_modified_at, checksum)
    VALUES
      (${key(member.memberId)}, ${signId}, ${fold(signId)}, ${passwordHash}, ${passwordLastChangedAt},
       ${lastModifiedAt}, ${credentialChecksum(member, passwordHash)})
    ON CONFLICT DO NOTHING`)
  return inserted === 1
}

export const insertMember = async (tx: Transaction, member: Member) => {
  const name = searchableName(member.firstName, member.lastName)
  await tx.run(sql`
    INSERT INTO member
      (member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number, zip_code,
       address, searchable_name, created_at, last_modified_at, version, checksum)
    VALUES
      (${key(member.memberId)}, ${member.firstName}, ${member.lastName}, ${member.genderCode}, ${member.dateOfBirth},
       ${member.emailAddress}, ${member.telephoneNumber}, ${member.zipCode}, ${member.address}, ${name},
       ${member.createdAt}, ${member.lastModifiedAt}, ${member.version}, ${memberChecksum(member)})`)
  await insertGrams(tx, member.memberId, name)
}

/** False when the previous version is not there. */
export const replaceMember = async (tx: Transaction, member: Member) => {
  const name = searchableName(member.firstName, member.lastName)
  const [former] = await tx.read(
    sql`SELECT searchable_name FROM member WHERE member_id = ${key(member.memberId)}`,
    (row) => String(row.searchable_name),
  )
  const replaced = await tx.run(sql`
    UPDATE member SET
      first_name = ${member.firstName}, last_name = ${member.lastName}, gender_code = ${member.genderCode},
      date_of_birth = ${member.dateOfBirth}, email_address = ${member.emailAddress},
      telephone_number = ${member.telephoneNumber}, zip_code = ${member.zipCode}, address = ${member.address},
      searchable_name = ${name}, last_modified_at = ${member.lastModifiedAt}, version = ${member.version},
      checksum = ${memberChecksum(member)}
    WHERE member_id = ${key(member.memberId)} AND version = ${member.version - 1}`)
  if (replaced === 0) return false
  if (name !== former) {
    await deleteGrams(tx, member.memberId)
    await insertGrams(tx, member.memberId, name)
  }
  return true
}

export const replaceCredential = async (tx: Transaction, member: Member, passwordHash: string) => {
  const { memberId, credential } = member
  await tx.run(sql`
    UPDATE credential SET
      sign_id = ${credential.signId}, sign_id_folded = ${fold(credential.signId)}, password_hash = ${passwordHash},
      password_last_changed_at = ${credential.passwordLastChangedAt}, last_modified_at = ${credential.lastModifiedAt},
      checksum = ${credentialChecksum(member, passwordHash)}
    WHERE member_id = ${key(memberId)}`)
}

/**
 * Returns the version that is deleted: this one, or any if undefined. Undefined when it is not there. The credential goes
 * first; nobody changes the member meanwhile.
 */
export const deleteMember = async (tx: Transaction, memberId: string, version: number | undefined) => {
  const any = sql`UPDATE member SET version = version WHERE member_id = ${key(memberId)}`
  const one = version === undefined ? any : sql`${any} AND version = ${version}`
  const [held] = await tx.read(sql`${one} RETURNING version`, (row) => Number(row.version))
  if (held === undefined) return undefined
  await tx.run(sql`DELETE FROM credential WHERE member_id = ${key(memberId)}`)
  await deleteGrams(tx, memberId)
  await tx.run(sql`DELETE FROM member WHERE member_id = ${key(memberId)}`)
  return held
}

const insertGrams = (tx: Transaction, memberId: string, name: string) =>
  tx.run(sql`
    INSERT INTO member_gram (rowid, grams)
    SELECT member_number, ${gramsOf(name)} FROM member WHERE member_id = ${key(memberId)}`)

const deleteGrams = (tx: Transaction, memberId: string) =>
  tx.run(sql`
    DELETE FROM member_gram
    WHERE rowid = (SELECT member_number FROM member WHERE member_id = ${key(memberId)})`)
