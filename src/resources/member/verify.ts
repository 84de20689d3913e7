import { isHash, noPassword } from '#core/password-hash.ts'
import { verifyLogged } from '#ledger/change-records.ts'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { type Finding, faultyRows } from '#sql/records.ts'
import { credentialTable, type MemberRows } from './rows.ts'

/** Finds members without a credential, credentials without a member, damaged rows, and members that are missing in the search index. */
export async function* verifyMembers(db: Database, rows: MemberRows): AsyncGenerator<Finding> {
  const { table, columns, toMember: make } = rows
  for await (const batch of db.stream(unpairedMembers, toFinding)) yield* batch
  for await (const batch of db.stream(membersWithoutWords, toUnsearchable)) yield* batch
  yield* faultyRows(db, table)
  yield* faultyRows(db, credentialTable, [
    [
      ({ passwordHash }) => passwordHash === noPassword || isHash(passwordHash),
      'its password hash cannot be checked',
    ],
  ])
  yield* verifyLogged(db, {
    resource: 'member',
    table,
    selected: columns.text.replace('SELECT ', ''),
    from: 'member JOIN credential ON credential.member_id = member.member_id',
    make,
    values: 'erasable',
    unlogged: ['lastModifiedAt'],
  })
}

const unpairedMembers = sql`
  SELECT member.member_id, credential.member_id AS of_credential
  FROM member FULL OUTER JOIN credential ON credential.member_id = member.member_id
  WHERE member.member_id IS NULL OR credential.member_id IS NULL`

const toFinding = ({ member_id, of_credential }: Row): Finding => ({
  what: 'member',
  id: String(member_id ?? of_credential),
  says: member_id === null ? 'a credential without its member' : 'it has no credential',
})

const membersWithoutWords = sql`
  SELECT member_id FROM member
  WHERE NOT EXISTS (SELECT 1 FROM member_gram WHERE member_gram.rowid = member.member_number)`

const toUnsearchable = (row: Row): Finding => ({
  what: 'member',
  id: String(row.member_id),
  says: 'it is missing in the search index',
})
