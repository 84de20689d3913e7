import { fold } from '#core/fold.ts'
import { isDate, isXmlText } from '#core/formats.ts'
import { isPhc } from '#core/password.ts'
import type { Finding } from '#resources/resource.ts'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { searchableName } from './search.ts'

/** What is not as the service would have written it: members and credentials of each other, and what is made of names. */
export async function* verifyMembers(db: Database): AsyncGenerator<Finding> {
  for await (const batch of db.stream(bothSides, toPair))
    for (const pair of batch)
      for (const says of wrongIn(pair)) yield { what: 'member', id: pair.memberId, says }
  for await (const batch of db.stream(unsearchable, toId))
    for (const id of batch) yield { what: 'member', id, says: 'it is not found by its name' }
}

const bothSides = sql`
  SELECT coalesce(member.member_id, credential.member_id) AS member_id, member.member_id AS of_member,
    credential.member_id AS of_credential, first_name, last_name, searchable_name, date_of_birth, gender_code,
    email_address, sign_id, sign_id_folded, password_hash, version, created_at, member.last_modified_at
  FROM member FULL OUTER JOIN credential ON credential.member_id = member.member_id`

const unsearchable = sql`
  SELECT member_id FROM member WHERE member_number NOT IN (SELECT rowid FROM member_gram)`

const toId = (row: Row) => String(row.member_id)

type Pair = ReturnType<typeof toPair>

const toPair = (row: Row) => ({
  memberId: String(row.member_id),
  isMember: row.of_member !== null,
  isCredential: row.of_credential !== null,
  firstName: String(row.first_name),
  lastName: String(row.last_name),
  searchableName: String(row.searchable_name),
  dateOfBirth: String(row.date_of_birth),
  genderCode: String(row.gender_code),
  emailAddress: String(row.email_address),
  signId: String(row.sign_id),
  signIdFolded: String(row.sign_id_folded),
  passwordHash: String(row.password_hash),
  times: [Number(row.version), Number(row.created_at), Number(row.last_modified_at)],
})

const wrongIn = (pair: Pair): readonly string[] => {
  if (!pair.isMember) return ['a credential whose member is not there']
  if (!pair.isCredential) return ['it has no credential']
  return rules.filter(([isRight]) => !isRight(pair)).map(([, says]) => says)
}

const rules: readonly (readonly [(pair: Pair) => boolean, string])[] = [
  [
    ({ firstName, lastName, ...pair }) => pair.searchableName === searchableName(firstName, lastName),
    'the name it is searched by is not the one it has',
  ],
  [({ signId, signIdFolded }) => signIdFolded === fold(signId), 'its sign id is not unique by itself'],
  [({ passwordHash }) => isPhc(passwordHash), 'its password hash cannot be checked'],
  [({ dateOfBirth }) => isDate(dateOfBirth), 'its date of birth is no date'],
  [({ genderCode }) => ['0', '1', '2'].includes(genderCode), 'its gender code is none of the list'],
  [
    ({ firstName, lastName, emailAddress }) => [firstName, lastName, emailAddress].every(isXmlText),
    'a text of it cannot be shown',
  ],
  [({ times }) => times.every((time) => Number.isSafeInteger(time) && time > 0), 'a number of it is none'],
]
