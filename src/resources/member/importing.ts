import { fold } from '#core/fold.ts'
import { noPassword } from '#core/password-hash.ts'
import { Problem } from '#core/problem.ts'
import type { ObjectSchema } from '#core/shapes.ts'
import { shownOf } from '#resources/imported.ts'
import type { Importing, PasswordRows, Values } from '#resources/importing.ts'
import {
  finder,
  type IdentifyingColumn,
  idColumn,
  identitiesIn,
  uniqueColumns,
} from '#resources/machine/importing.ts'
import type { RoomContext } from '#resources/resource.ts'
import type { Database } from '#sql/database.ts'
import { raw } from '#sql/query.ts'
import { commonPassword, signIdInUse } from './messages.ts'
import { importedMember } from './records.ts'
import type { MemberRows } from './rows.ts'
import type { Member, MemberShapes, MemberUpdate, NewMember } from './schema.ts'
import type { MemberService } from './service.ts'
import { signIdOf } from './sign-id.ts'

interface MemberParts extends Pick<RoomContext, 'isReserved' | 'isRefused'> {
  readonly rows: MemberRows
  readonly shapes: MemberShapes
}

/** How files become members. A row without a password makes a member that cannot come in until it has one. */
export const memberImporting = (
  db: Database,
  members: MemberService,
  { rows, shapes, isReserved, isRefused }: MemberParts,
): Importing => {
  const schema = importedMember(shapes)
  const { properties } = schema.properties.credential as ObjectSchema
  const { signId = {}, password = {} } = properties
  const { memberId, ...profile } = Object.fromEntries(
    ['memberId', ...shapes.profileNames].map((field) => [field, shapes.fields[field as 'memberId']]),
  )
  const known: Readonly<Record<string, IdentifyingColumn>> = {
    memberId: idColumn('member', 'member_id'),
    'credential.signId': { column: 'credential.sign_id_folded', isUnique: true, folded: fold },
    ...uniqueColumns(rows.declared),
    emailAddress: { column: 'member.email_folded', isUnique: false, folded: fold },
  }
  const values = ({ credential, ...member }: Member) => ({
    ...shownOf(rows.table, member),
    'credential.signId': credential.signId,
  })
  return {
    id: 'memberId',
    schema,
    fields: {
      memberId: memberId ?? {},
      ...profile,
      'credential.signId': signId,
      'credential.password': password,
    },
    references: rows.table.references,
    passwordRows: loginsOn(db),
    known,
    identities: (said, isNew) => identitiesIn(known, isNew ? { ...said, ...signIdIn(said) } : said),
    find: finder(db, known, {
      ...{ select: rows.columns.text, make: rows.toMember, idOf: (one: Member) => one.memberId, values },
      from: 'member JOIN credential ON credential.member_id = member.member_id',
    }),
    check: (said) => {
      const signId = said['credential.signId'] ?? signIdIn(said)['credential.signId'] ?? ''
      if (isReserved(String(signId))) throw signIdInUse(String(signId))
      if (isRefused(String(said['credential.password'] ?? ''))) throw commonPassword('credential.password')
    },
    prepare: async (said) => {
      const given = said['credential.password'] ?? null
      if (given === null) return noPassword
      return members.passwordHash({ credential: { password: String(given) } } as NewMember)
    },
    create: (said, { actor, prepared }) =>
      members.create(
        {
          ...profileIn(said),
          credential: { signId: said['credential.signId'] ?? null },
        } as unknown as NewMember,
        { prepared, actor, id: (said.memberId as string | null) ?? undefined },
      ),
    update: (id, said, asked) => members.update(id, profileIn(said) as unknown as MemberUpdate, asked),
    remove: (id, asked) => members.remove(id, { ...asked, erases: false }),
  }
}

const loginsOn = ({ engine }: Database): PasswordRows => {
  const memberId = engine === 'postgres' ? 'CAST(import_row.record_id AS uuid)' : 'import_row.record_id'
  return {
    join: raw(`
      JOIN member ON member.member_id = ${memberId}
      JOIN credential ON credential.member_id = member.member_id`),
    columns: raw('credential.sign_id, member.first_name, member.last_name'),
    isUnchanged: raw(`
      credential.password_hash <> '${noPassword}' AND credential.password_last_changed_at = member.created_at`),
  }
}

const profileIn = (said: Values) =>
  Object.fromEntries(Object.entries(said).filter(([field]) => field !== 'memberId' && !field.includes('.')))

/** The sign id that a new member gets. If none can be made, `check` refuses the row. */
const signIdIn = (said: Values): Values => {
  const given = said['credential.signId'] ?? null
  const emailAddress = said.emailAddress ?? null
  if (given !== null || emailAddress === null) return {}
  try {
    return { 'credential.signId': signIdOf(null, String(emailAddress)) }
  } catch (error) {
    if (error instanceof Problem) return {}
    throw error
  }
}
