import { fold } from '#core/fold.ts'
import { formatUtc } from '#core/formats.ts'
import { isPhc, maxImportedCost, mayBeImported } from '#core/password.ts'
import { bodyInvalid } from '#core/problem.ts'
import { EitherOf, Id, Nullable, Requested, Secret, Text, TimestampText, type ValueOf } from '#core/schema.ts'
import { importedId, importedInstant, isFound, uniqueId } from '#resources/imported.ts'
import type { ReadGround, RoomRecords, Unique } from '#resources/resource.ts'
import type { Database, Row, Transaction } from '#sql/database.ts'
import { key, sql } from '#sql/query.ts'
import type { StoredRecord } from '#sql/records.ts'
import { signIdInUse, signIdTaken } from './messages.ts'
import { insertCredential, insertMember, memberColumns, toMember } from './rows.ts'
import { type Member, profileFields } from './schema.ts'
import { maxSignIdLength, signIdOf } from './sign-id.ts'

const timestamp = Nullable(TimestampText)

/** What a file may contain for a member: also what otherwise only the service writes, and either the password or its hash. */
export const ImportedMember = Requested('member', {
  ...profileFields,
  memberId: Nullable(Id),
  credential: EitherOf(
    ['password', 'passwordHash'],
    Requested('credential', {
      signId: Nullable(Text(0, maxSignIdLength)),
      password: Nullable(Secret(8, 128)),
      passwordHash: Nullable(Text(1, 256)),
      passwordLastChangedAt: timestamp,
      lastModifiedAt: timestamp,
    }),
  ),
  createdAt: timestamp,
  lastModifiedAt: timestamp,
})
type Imported = ValueOf<typeof ImportedMember>

/** The API does not know the hash of a password, not even where it is null. */
export const withoutHash = (record: object): object => {
  const { credential } = record as { readonly credential?: Partial<Imported['credential']> | null }
  if (credential?.passwordHash === undefined) return record
  const { passwordHash, ...sent } = credential
  if (passwordHash === null) return { ...record, credential: sent }
  throw new Error('A service accepts no password hash: import the record into the database instead.')
}

/** Members as stored and as a file holds them, with their password hashes: no answer is made from these. */
export const memberRecords = (db: Database): RoomRecords => ({
  name: 'members',
  fields: [
    'memberId',
    'firstName',
    'lastName',
    'genderCode',
    'dateOfBirth',
    'emailAddress',
    'telephoneNumber',
    'zipCode',
    'address',
    'credential.signId',
    'credential.password',
    'credential.passwordHash',
    'credential.passwordLastChangedAt',
    'credential.lastModifiedAt',
    'createdAt',
    'lastModifiedAt',
  ],
  count: async () => (await db.scan(sql`SELECT count(*) AS total FROM member`, toTotal))[0] ?? 0,
  stream: () => db.stream(allRows, toStored),
  // No record waits for the one before it: the statements go to the database in one stream.
  insert: (records) => db.write((tx) => Promise.all(records.map((record) => insertOne(tx, record)))),
  read: (body, ground) => read(body as Imported, ground),
  shown,
  unique: ({ memberId, signId }) => [
    uniqueId('memberId', String(memberId), () => isFound(db, memberWithId(String(memberId)))),
    uniqueSignId(db, String(signId)),
  ],
})

const allRows = sql`
  ${memberColumns}, password_hash FROM member JOIN credential ON credential.member_id = member.member_id
  ORDER BY member_number`

const memberWithId = (memberId: string) =>
  sql`SELECT member_id FROM credential WHERE member_id = ${key(memberId)}`

const uniqueSignId = (db: Database, signId: string): Unique => ({
  by: 'signId',
  value: fold(signId),
  isTaken: () => isFound(db, sql`SELECT member_id FROM credential WHERE sign_id_folded = ${fold(signId)}`),
  refusal: signIdTaken(signId),
})

const toTotal = (row: Row) => Number(row.total)

const toStored = (row: Row): StoredRecord => {
  const { credential, ...member } = toMember(row)
  return {
    ...member,
    signId: credential.signId,
    passwordLastChangedAt: credential.passwordLastChangedAt,
    credentialLastModifiedAt: credential.lastModifiedAt,
    passwordHash: String(row.password_hash),
  }
}

const insertOne = async (tx: Transaction, record: StoredRecord) => {
  const { signId, passwordLastChangedAt, credentialLastModifiedAt, passwordHash, ...rest } = record
  const credential = { signId, passwordLastChangedAt, lastModifiedAt: credentialLastModifiedAt }
  const member = { ...rest, credential } as unknown as Member
  if (!(await insertCredential(tx, member, String(passwordHash)))) return false
  await insertMember(tx, member)
  return true
}

const read = async (
  imported: Imported,
  { now, newId, passwords, isReserved }: ReadGround,
): Promise<StoredRecord> => {
  const { credential, memberId, createdAt, lastModifiedAt, ...profile } = imported
  const id = importedId('memberId', memberId, newId)
  const created = importedInstant('createdAt', createdAt) ?? now
  const modified = importedInstant('lastModifiedAt', lastModifiedAt) ?? created
  const changed =
    importedInstant('credential.passwordLastChangedAt', credential.passwordLastChangedAt) ?? created
  const signId = signIdOf(credential.signId, profile.emailAddress)
  if (isReserved(signId)) throw signIdInUse(signId)
  return {
    memberId: id,
    ...profile,
    createdAt: created,
    lastModifiedAt: modified,
    version: 1,
    signId,
    passwordLastChangedAt: changed,
    credentialLastModifiedAt:
      importedInstant('credential.lastModifiedAt', credential.lastModifiedAt) ?? changed,
    passwordHash: await hashOf(credential, passwords),
  }
}

const hashOf = async (
  { password, passwordHash }: Imported['credential'],
  passwords: ReadGround['passwords'],
) => {
  if (passwordHash !== null) {
    if (!isPhc(passwordHash)) throw bodyInvalid([{ code: 'Pattern', target: 'credential.passwordHash' }])
    if (!mayBeImported(passwordHash)) throw tooCostly('credential.passwordHash')
    return passwordHash
  }
  if (password === null) throw bodyInvalid([{ code: 'NotNull', target: 'credential.password' }])
  return passwords.hash(password)
}

const tooCostly = (target: string) =>
  bodyInvalid([
    { code: 'WrongType', target, args: { expected: `argon2id, m times t at most ${maxImportedCost}` } },
  ])

const shown = (record: StoredRecord) => {
  const {
    signId,
    passwordHash,
    passwordLastChangedAt,
    credentialLastModifiedAt,
    version: _,
    ...rest
  } = record
  const { createdAt, lastModifiedAt, ...profile } = rest
  return {
    ...profile,
    credential: {
      signId,
      passwordHash,
      passwordLastChangedAt: formatUtc(Number(passwordLastChangedAt)),
      lastModifiedAt: formatUtc(Number(credentialLastModifiedAt)),
    },
    createdAt: formatUtc(Number(createdAt)),
    lastModifiedAt: formatUtc(Number(lastModifiedAt)),
  }
}
