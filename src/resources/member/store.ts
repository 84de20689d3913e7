import { fold } from '#core/fold.ts'
import { isId } from '#core/id.ts'
import type { Sortable } from '#core/page.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { and, idProperty, listing } from '#sql/listing.ts'
import { empty, key, raw, sql } from '#sql/query.ts'
import type { Member } from './schema.ts'
import { nameHolds, searchableName } from './search.ts'
import type { MemberFilter, MemberStore } from './service.ts'

const columns = raw(`
  SELECT member.member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number,
    zip_code, address, sign_id, password_last_changed_at, credential.last_modified_at AS credential_last_modified_at,
    created_at, member.last_modified_at, version
  FROM member JOIN credential ON credential.member_id = member.member_id`)

const sortable = {
  memberId: 'member.member_id',
  firstName: 'first_name',
  lastName: 'last_name',
  genderCode: 'gender_code',
  dateOfBirth: 'date_of_birth',
  emailAddress: 'email_address',
  telephoneNumber: "coalesce(telephone_number, '')",
  zipCode: "coalesce(zip_code, '')",
  address: "coalesce(address, '')",
  createdAt: 'created_at',
  lastModifiedAt: 'member.last_modified_at',
}

export const memberSortable = Object.keys(sortable)

export const memberStore = (db: Database): MemberStore => {
  const lists = listing(db, {
    select: columns,
    count: raw('SELECT count(*) AS total FROM member'),
    id: 'member.member_id',
    sortable,
    make: toMember,
    valueOf: sortValue,
  })

  return {
    find: async (memberId) =>
      isId(memberId)
        ? (await db.read(sql`${columns} WHERE member.member_id = ${key(memberId)}`, toMember))[0]
        : undefined,

    insert: (member, passwordHash) =>
      db.write(async (tx) => {
        if (!(await insertCredential(tx, member, passwordHash))) return false
        await insertMember(tx, member)
        return true
      }),

    replace: (member) => db.write((tx) => replaceMember(tx, member)),

    replaceCredential: (member, passwordHash) =>
      db.write(async (tx) => {
        const isFree = await isSignIdFree(tx, member)
        if (!isFree) return 'sign id in use'
        if (!(await replaceMember(tx, member))) return 'changed meanwhile'
        await replaceCredential(tx, member, passwordHash)
        await tx.publish('credential', member.memberId)
        return 'done'
      }),

    remove: async (memberId, version) => isId(memberId) && db.write((tx) => remove(tx, memberId, version)),

    passwordHash: async (memberId) =>
      (
        await db.read(
          sql`SELECT password_hash FROM credential WHERE member_id = ${key(memberId)}`,
          toPasswordHash,
        )
      )[0],

    page: (filter, request) => lists.page(matching(filter), request),
    slice: (filter, request) => lists.slice(matching(filter), request),
    stream: (filter) => lists.stream(matching(filter)),
  }
}

const insertCredential = async (tx: Transaction, { memberId, credential }: Member, passwordHash: string) => {
  const { signId, passwordLastChangedAt, lastModifiedAt } = credential
  const inserted = await tx.run(sql`
    INSERT INTO credential
      (member_id, sign_id, sign_id_folded, password_hash, password_last_changed_at, last_modified_at)
    VALUES (${key(memberId)}, ${signId}, ${fold(signId)}, ${passwordHash}, ${passwordLastChangedAt}, ${lastModifiedAt})
    ON CONFLICT DO NOTHING`)
  return inserted === 1
}

const insertMember = (tx: Transaction, member: Member) =>
  tx.run(sql`
    INSERT INTO member
      (member_id, first_name, last_name, gender_code, date_of_birth, email_address, telephone_number, zip_code,
       address, searchable_name, created_at, last_modified_at, version)
    VALUES
      (${key(member.memberId)}, ${member.firstName}, ${member.lastName}, ${member.genderCode}, ${member.dateOfBirth},
       ${member.emailAddress}, ${member.telephoneNumber}, ${member.zipCode}, ${member.address},
       ${searchableName(member.firstName, member.lastName)}, ${member.createdAt}, ${member.lastModifiedAt},
       ${member.version})`)

const replaceMember = async (tx: Transaction, member: Member) => {
  const replaced = await tx.run(sql`
    UPDATE member SET
      first_name = ${member.firstName}, last_name = ${member.lastName}, gender_code = ${member.genderCode},
      date_of_birth = ${member.dateOfBirth}, email_address = ${member.emailAddress},
      telephone_number = ${member.telephoneNumber}, zip_code = ${member.zipCode}, address = ${member.address},
      searchable_name = ${searchableName(member.firstName, member.lastName)},
      last_modified_at = ${member.lastModifiedAt}, version = ${member.version}
    WHERE member_id = ${key(member.memberId)} AND version = ${member.version - 1}`)
  return replaced === 1
}

const replaceCredential = (tx: Transaction, { memberId, credential }: Member, passwordHash: string) =>
  tx.run(sql`
    UPDATE credential SET
      sign_id = ${credential.signId}, sign_id_folded = ${fold(credential.signId)}, password_hash = ${passwordHash},
      password_last_changed_at = ${credential.passwordLastChangedAt}, last_modified_at = ${credential.lastModifiedAt}
    WHERE member_id = ${key(memberId)}`)

const isSignIdFree = async (tx: Transaction, { memberId, credential }: Member) => {
  const owners = await tx.read(
    sql`SELECT member_id FROM credential WHERE sign_id_folded = ${fold(credential.signId)}`,
    (row) => String(row.member_id),
  )
  return owners.every((owner) => owner === memberId)
}

const remove = async (tx: Transaction, memberId: string, version: number | undefined) => {
  const found = await tx.read(sql`SELECT version FROM member WHERE member_id = ${key(memberId)}`, toVersion)
  if (found.length === 0 || (version !== undefined && found[0] !== version)) return false
  await tx.run(sql`DELETE FROM credential WHERE member_id = ${key(memberId)}`)
  const removed = await tx.run(sql`DELETE FROM member WHERE member_id = ${key(memberId)}`)
  await tx.publish('credential', memberId)
  return removed === 1
}

const matching = ({ name, createdFrom, createdTo }: MemberFilter) =>
  and([
    name === undefined ? empty : nameHolds(name),
    createdFrom === undefined ? empty : sql`created_at >= ${createdFrom}`,
    createdTo === undefined ? empty : sql`created_at < ${createdTo}`,
  ])

const sortValue = (member: Member, property: string): Sortable => {
  if (property === idProperty) return member.memberId
  return (member as Member & Readonly<Record<string, Sortable>>)[property] ?? ''
}

const textOrNull = (value: Row[string]) => (value === null ? null : String(value))

const toMember = (row: Row): Member => ({
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

const toPasswordHash = (row: Row) => String(row.password_hash)
const toVersion = (row: Row) => Number(row.version)
