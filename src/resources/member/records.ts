import { canBeImported, isHash, maxImportedCost, noPassword } from '#core/password-hash.ts'
import { bodyInvalid } from '#core/problem.ts'
import {
  AssignedIfAbsent,
  Hashed,
  Nullable,
  OneOfFields,
  Secret,
  Text,
  TimestampText,
  type ValueOf,
  VisiblyDistinct,
  WriteOnly,
} from '#core/schema.ts'
import { ImportOf, RequestOf } from '#core/shapes.ts'
import { type MakeLogEntry, serviceActor } from '#ledger/change-log.ts'
import {
  fileFields,
  readInstant,
  readRecord,
  recordsOf,
  toFileRecord,
  withOptionalStartingFields,
} from '#resources/machine/records.ts'
import type { FromFileContext, ResourceRecords } from '#resources/resource.ts'
import type { Database, Row } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { insertion, refersToSameTable } from '#sql/records.ts'
import { signIdInUse, signIdInUseDetail } from './messages.ts'
import { credentialTable, insertMember, type MemberRows, noInvitation, type StoredMember } from './rows.ts'
import { type Member, type MemberSchemas, Role } from './schema.ts'
import { maxSignIdLength, signIdOf } from './sign-id.ts'
import { changeOf, isSignIdFree } from './store.ts'

const timestamp = AssignedIfAbsent(TimestampText)

/** A member in a file has the fields that otherwise only the service writes, and the password or its hash. An empty hash means no password. */
export const fileSchemaOf = ({ fields: { createdAt, lastModifiedAt, ...profile }, added }: MemberSchemas) =>
  withOptionalStartingFields(
    added,
    ImportOf('member', {
      ...profile,
      ...fileFields(added),
      credential: OneOfFields(
        ['password', 'passwordHash'],
        RequestOf('credential', {
          signId: Nullable(VisiblyDistinct(0, maxSignIdLength)),
          password: WriteOnly(Nullable(Secret(8, 128))),
          passwordHash: Hashed(Nullable(Text(0, 256))),
          passwordLastChangedAt: timestamp,
          lastModifiedAt: timestamp,
          role: AssignedIfAbsent(Role),
          roleChangedAt: timestamp,
        }),
      ),
      createdAt,
      lastModifiedAt,
    }),
  )

type FileMember = ValueOf<ReturnType<typeof fileSchemaOf>>

export const memberRecords =
  (rows: MemberRows) =>
  (db: Database, makeLogEntry?: MakeLogEntry): ResourceRecords => {
    const common = recordsOf(db, rows.declared, 'members')
    return {
      ...common,
      stream: () => db.stream(allRows(rows), toStored(rows)),
      insert: insertion<StoredMember>(db, (tx, member) => insertMember(tx, member, rows), {
        toEntry:
          makeLogEntry &&
          ((record) =>
            makeLogEntry(changeOf(toPublicMember(record), 'created', rows.createdFields), serviceActor())),
        isDependent: (member) => refersToSameTable(rows.table, member),
      }),
      fromFile: (body, context) => readMember(body as FileMember, rows, context),
      toFile: (record: StoredMember) => toFileMember(record, rows),
      async refusals(member: StoredMember) {
        const others = await common.refusals(member)
        if (!others || (await isSignIdFree(db, member))) return others
        return [signIdInUseDetail(member.credential.signId), ...others]
      },
    }
  }

const toPublicMember = ({ credential, ...member }: StoredMember): Member => {
  const { memberId: _, passwordHash: __, ...publicCredential } = credential
  return { ...member, credential: publicCredential }
}

const storedCredential = credentialTable.selection('credential_')

const allRows = ({ table }: MemberRows) =>
  raw(`
  SELECT ${table.selected}, ${storedCredential.selected}
  FROM member JOIN credential ON credential.member_id = member.member_id ORDER BY member_number`)

const toStored =
  ({ table }: MemberRows) =>
  (row: Row): StoredMember => ({ ...table.toRecord(row), credential: storedCredential.toRecord(row) })

const readMember = async (
  { credential, ...profile }: FileMember,
  { table }: MemberRows,
  context: FromFileContext,
): Promise<StoredMember> => {
  const member = readRecord(table, profile, context)
  const { memberId, createdAt } = member
  const signId = signIdOf(credential.signId, profile.emailAddress)
  if (context.isReservedSignId(signId)) throw signIdInUse(signId)
  const instantIn = (field: 'passwordLastChangedAt' | 'lastModifiedAt' | 'roleChangedAt') =>
    readInstant(`credential.${field}`, credential[field])
  const passwordLastChangedAt = instantIn('passwordLastChangedAt') ?? createdAt
  return {
    ...member,
    credential: {
      memberId,
      signId,
      passwordHash: await passwordHashFor(credential, context.passwords),
      passwordLastChangedAt,
      lastModifiedAt: instantIn('lastModifiedAt') ?? passwordLastChangedAt,
      role: credential.role,
      roleChangedAt: instantIn('roleChangedAt') ?? null,
      ...noInvitation,
    },
  }
}

const passwordHashFor = async (
  { password, passwordHash }: FileMember['credential'],
  passwords: FromFileContext['passwords'],
) => {
  if (passwordHash === noPassword) return noPassword
  if (passwordHash !== null) {
    if (!isHash(passwordHash)) throw bodyInvalid([{ code: 'Pattern', target: 'credential.passwordHash' }])
    if (!canBeImported(passwordHash)) throw tooCostly('credential.passwordHash')
    return passwordHash
  }
  if (password === null) throw bodyInvalid([{ code: 'NotNull', target: 'credential.password' }])
  return passwords.hash(password)
}

const tooCostly = (target: string) =>
  bodyInvalid([
    { code: 'WrongType', target, args: { expected: `argon2id, m times t at most ${maxImportedCost}` } },
  ])

const toFileMember = ({ credential, ...member }: StoredMember, { table }: MemberRows) => {
  const { createdAt, lastModifiedAt, ...rest } = toFileRecord(table, member)
  const {
    memberId: _,
    invitationHash: __,
    invitationEndsAt: ___,
    ...fileCredential
  } = toFileRecord(credentialTable, credential)
  return { ...rest, credential: fileCredential, createdAt, lastModifiedAt }
}
