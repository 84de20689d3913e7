import { fold } from '#core/fold.ts'
import { isDate, isShowable, isXmlText } from '#core/formats.ts'
import { isPhc } from '#core/password.ts'
import type { Database, Row } from '#sql/database.ts'
import { sql } from '#sql/query.ts'
import { checksumMismatch, type Finding, isVersion } from '#sql/records.ts'
import { credentialChecksum, memberChecksum, memberColumns, toMember } from './rows.ts'
import { genderCodes, type Member } from './schema.ts'
import { searchableName } from './search.ts'

/** Members and credentials that lack each other, values that the service would not have written, and names that search would miss. */
export async function* verifyMembers(db: Database): AsyncGenerator<Finding> {
  for await (const batch of db.stream(bothSides, toPair))
    for (const pair of batch)
      for (const says of faultsOf(pair)) yield { what: 'member', id: pair.memberId, says }
  for await (const batch of db.stream(unsearchable, toId))
    for (const id of batch) yield { what: 'member', id, says: 'it is not found by its name' }
}

const bothSides = sql`
  ${memberColumns}, member.checksum AS member_checksum, credential.member_id AS of_credential, searchable_name,
    sign_id_folded, password_hash, credential.checksum AS credential_checksum
  FROM member FULL OUTER JOIN credential ON credential.member_id = member.member_id`

const unsearchable = sql`
  SELECT member_id FROM member
  WHERE NOT EXISTS (SELECT 1 FROM member_gram WHERE member_gram.rowid = member.member_number)`

const toId = (row: Row) => String(row.member_id)

type Pair = ReturnType<typeof toPair>

const toPair = (row: Row) => ({
  memberId: String(row.member_id ?? row.of_credential),
  isMember: row.member_id !== null,
  isCredential: row.of_credential !== null,
  member: toMember(row),
  memberChecksum: Number(row.member_checksum),
  credentialChecksum: Number(row.credential_checksum),
  searchableName: String(row.searchable_name),
  signIdFolded: String(row.sign_id_folded),
  passwordHash: String(row.password_hash),
})

const faultsOf = (pair: Pair): readonly string[] => {
  if (!pair.isMember) return ['a credential whose member is not there']
  if (!pair.isCredential) return ['it has no credential']
  return rules.filter(([isRight]) => !isRight(pair)).map(([, fault]) => fault)
}

const rules: readonly (readonly [(pair: Pair) => boolean, string])[] = [
  [({ member, ...pair }) => pair.memberChecksum === memberChecksum(member), checksumMismatch],
  [
    ({ member, ...pair }) => pair.credentialChecksum === credentialChecksum(member, pair.passwordHash),
    'its credential is not as it was written: its checksum does not match',
  ],
  [
    ({ member, ...pair }) => pair.searchableName === searchableName(member.firstName, member.lastName),
    'the name it is searched by is not the one it has',
  ],
  [
    ({ member, signIdFolded }) => signIdFolded === fold(member.credential.signId),
    'the folded form of its sign id is not that of its sign id',
  ],
  [({ passwordHash }) => isPhc(passwordHash), 'its password hash cannot be checked'],
  [({ member }) => isDate(member.dateOfBirth), 'its date of birth is not a date'],
  [({ member }) => genderCodes.includes(member.genderCode), 'its gender code is not in the list'],
  [
    ({ member }) => textsOf(member).every((text) => text === null || isXmlText(text)),
    'one of its texts has characters that cannot be shown',
  ],
  [({ member }) => timesOf(member).every(isShowable), 'one of its timestamps is out of range'],
  [({ member }) => isVersion(member.version), 'its version is not valid'],
]

const textsOf = ({ credential, ...member }: Member) => [
  member.firstName,
  member.lastName,
  member.emailAddress,
  member.telephoneNumber,
  member.zipCode,
  member.address,
  credential.signId,
]

const timesOf = ({ createdAt, lastModifiedAt, credential }: Member) => [
  createdAt,
  lastModifiedAt,
  credential.passwordLastChangedAt,
  credential.lastModifiedAt,
]
